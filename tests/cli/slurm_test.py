# SPDX-License-Identifier: Apache-2.0
"""A real Slurm: controller and node on this machine's loopback. Of the job-array script of sweeps,
one task is requeued while it runs; the merged store equals that of one sweep, row for row. Tasks
that share a store of `advise` have one answer."""

import os
import pwd
import socket
import subprocess
import time
import unittest

import tools
from advise_test import QUESTION
from program import PROGRAM, SOURCE
from sweep_test import SweepTest, rows, slower, stored_runs

TOOLS = {**dict.fromkeys(("slurmctld", "slurmd", "sbatch", "squeue", "scontrol"), "slurm-wlm"),
         **dict.fromkeys(("munged", "mungekey"), "munge"), "setpriv": "util-linux"}
PATIENCE_S = 200

CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Slurm(SweepTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # the socket in it is for user munge, too
        self.start_munge()
        text = CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=self.folder,
                                    ports=(free_port(), free_port()))
        self.write("slurm.conf", text)
        (self.folder / "state").mkdir()
        (self.folder / "spool").mkdir()
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "FAULTLINE_PROGRAM": PROGRAM}
        self.daemon("slurmctld", "-D", "-c")
        self.daemon("slurmd", "-D", "-c")
        self.wait_for(lambda: "idle" in self.slurm("sinfo", "-h", "-o", "%t"))

    def start_munge(self):
        place = self.folder / "munge"
        place.mkdir(mode=0o755)
        subprocess.run(["mungekey", "-c", "-k", place / "key"], check=True)
        user = pwd.getpwnam("munge")
        for path in (place, place / "key"):
            os.chown(path, user.pw_uid, user.pw_gid)
        self.daemon("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}",
                    "--clear-groups", "munged", "--foreground", f"--key-file={place}/key",
                    f"--socket={place}/socket", f"--pid-file={place}/pid",
                    f"--log-file={place}/log", f"--seed-file={place}/seed")
        self.wait_for(lambda: (place / "socket").exists())

    def daemon(self, *command):
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   env=getattr(self, "environment", None))
        self.addCleanup(process.wait, timeout=60)
        self.addCleanup(process.terminate)

    def slurm(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, check=False,
                              capture_output=True, text=True, timeout=60).stdout

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text()[-3000:]}"
                         for path in sorted(self.folder.rglob("*log")))

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, self.logs())
            time.sleep(0.2)

    def shard(self, index):
        return self.folder / f"r.shard-{index}-of-4.sqlite"

    def test_four_tasks_one_requeued(self):
        self.write("s.json", slower(8))
        script = SOURCE / "scripts/slurm/sweep.sbatch"
        job = self.slurm("sbatch", "--parsable", script, "s.json", "r.sqlite").strip()
        self.assertRegex(job, r"\A\d+\Z", self.logs())
        # Between its first batch and its last one: it has a quarter of 144 replications.
        self.wait_for(lambda: stored_runs(self.shard(2)))
        self.slurm("scontrol", "requeue", f"{job}_2")
        interrupted = len(stored_runs(self.shard(2)))
        self.assertLess(interrupted, 36, "the task was over before it could be requeued")
        self.assertIn("Restarts=1", self.slurm("scontrol", "show", "job", f"{job}_2"))
        self.wait_for(lambda: not self.slurm("squeue", "-h"))
        self.assertIn("12 of 12 points stored as far as shard 2/4 goes, ",
                      (self.folder / f"faultline-{job}_2.log").read_text())
        shards = [self.shard(index).name for index in range(1, 5)]
        self.answer("merge", "r.sqlite", *shards)
        self.sweep("--jobs", 2, store="whole.sqlite")
        merged = rows(self.store)
        self.assertEqual(len(merged["points"]), 24)
        self.assertEqual(merged, rows(self.folder / "whole.sqlite"))

    def test_four_tasks_with_one_store_have_the_answer_of_one_process(self):
        self.write("q.json", QUESTION)
        alone = self.answer("advise", "q.json", "--quick", "--quiet")
        job = self.slurm("sbatch", "--parsable", "--array=1-4", "--wrap", PROGRAM +
                         " advise q.json --quick --quiet --store q.sqlite"
                         " --out answer-$SLURM_ARRAY_TASK_ID.txt").strip()
        self.assertRegex(job, r"\A\d+\Z", self.logs())
        self.wait_for(lambda: not self.slurm("squeue", "-h"))
        for task in range(1, 5):
            self.assertEqual((self.folder / f"answer-{task}.txt").read_text(), alone)


if __name__ == "__main__":
    tools.need("a sweep and advice under Slurm", commands=TOOLS, root=True)
    unittest.main()
