# SPDX-License-Identifier: Apache-2.0
"""The files of --figures: SVG, PDF and PNG have the same size, as asked, and the same text."""

import re
import struct
import unittest
import zlib

import tools
from program import ProgramTest, SMALL, changed

PIXELS_OF_CM = 96 / 2.54


def sizes_in_svg(text):
    """The sizes of its texts in points, of which an inch has 72 and 96 pixels."""
    return {round(float(size) * 0.75, 1) for size in re.findall(r'font-size="([\d.]+)"', text)}


def sizes_in_pdf(data):
    found = set()
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
        try:
            content = zlib.decompress(packed)
        except zlib.error:
            continue
        for matrix in re.findall(rb"BT\s+([-\d. ]+) Tm", content):
            a, b = (float(number) for number in matrix.split()[:2])
            found.add(round((a * a + b * b) ** 0.5, 1))  # texts upright or not
    return found


def width_of_pdf_cm(data):
    objects = data + b"".join(
        zlib.decompress(packed) for packed in re.findall(
            rb"/ObjStm.*?stream\r?\n(.*?)endstream", data, re.DOTALL))
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", objects)
    return float(box[1]) / 72 * 2.54


def width_of_png(data):
    return struct.unpack(">I", data[16:20])[0]


@tools.tested_with("figures of reports", commands={"gnuplot": "gnuplot-nox"})
class Figures(ProgramTest):
    STEM = "mean-control-messages"

    def setUp(self):
        super().setUp()
        self.write("s.json", changed(SMALL, ["sweep"], {"platform.processes": [8, 16, 32]}))
        self.answer("sweep", "s.json", "--store", "r.sqlite")

    def drawn(self, *arguments):
        """The bytes of the SVG, the PDF and the PNG of one figure."""
        self.answer("report", "r.sqlite", "--figures", "f", "--html", "p.html", "--metric",
                    "control_messages", *arguments)
        return [(self.folder / "f" / (self.STEM + ending)).read_bytes()
                for ending in (".svg", ".pdf", ".png")]

    def test_text_is_as_large_in_every_format(self):
        for arguments in ([], ["--width", "8.5cm"]):
            svg, pdf, _ = self.drawn(*arguments)
            sizes = sizes_in_svg(svg.decode())
            self.assertEqual(len(sizes), 2, "the text at the axes, and that of the key")
            self.assertEqual(sizes_in_pdf(pdf), sizes)

    def test_a_stated_width(self):
        for length, width_cm in (("8.5cm", 8.5), ("85mm", 8.5), ("7in", 17.78)):
            svg, pdf, png = self.drawn("--width", length)
            pixels = re.search(r'<svg\s+width="(\d+)"', svg.decode())[1]
            self.assertAlmostEqual(int(pixels), width_cm * PIXELS_OF_CM, delta=0.51)
            self.assertAlmostEqual(width_of_pdf_cm(pdf), width_cm, delta=0.03)
            self.assertAlmostEqual(width_of_png(png), width_cm / 2.54 * 300, delta=0.51)
            self.assertEqual(max(sizes_in_svg(svg.decode())), 8.0)

    def test_the_script_draws_the_same_again(self):
        svg, pdf, _ = self.drawn("--width", "8.5cm")
        script = (self.folder / "f" / (self.STEM + ".gnuplot")).read_text()
        self.assertIn("size 321,", script)
        again = self.drawn("--width", "8.5cm")
        self.assertEqual(again[:2], [svg, pdf])

    def test_widths_that_are_none(self):
        for width in ("8.5", "8.5 cm", "cm", "", "-8.5cm", "3cm", "61cm", "nancm", "infcm",
                      "1e99cm", "8.5cm\x1b[2J"):
            message = self.refusal("report", "r.sqlite", "--figures", "f", "--html", "p.html",
                                   "--width", width)
            self.assertIn("report: --width: expected a length from 4cm to 60cm", message)
            self.assertNotIn("\x1b", message)
        self.assertIn("--width: needs --figures", self.refusal(
            "report", "r.sqlite", "--html", "p.html", "--width", "8.5cm"))
        self.assertIn("reproduce: --width: needs --figures", self.refusal(
            "reproduce", "adoption-2013/table-1", "--width", "8.5cm"))


if __name__ == "__main__":
    unittest.main()
