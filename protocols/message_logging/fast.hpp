#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocols/message_logging/logged_layer.hpp"

namespace faultline {

struct FastOptions : MessageLogOptions {
  std::string identifier = "iteration-type";
};

/// Fast message logging (Algorithm 1 of fast-message-logging): messages to other ranks are logged,
/// and nothing about the order of deliveries is. The program takes its messages in by their tags,
/// so that any order will do. Each message has an identity between two objects, by which its
/// receiver knows it when it comes again.
class Fast : public LoggedLayer {
 public:
  using Options = FastOptions;
  Fast(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : LoggedLayer(*options, job, self), counts_(options->identifier == "ssn") {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Fast>(*this);
  }

 protected:
  // What a mutant gets wrong: dupTable.
  virtual bool is_new(const Message& message);

 private:
  /// The messages of one kind from one object to another.
  struct Channel {
    ObjectChannel ends;
    std::uint64_t kind = 0;  ///< 0 if all kinds are counted together

    void digest(Digest& into) const { into.add(ends, kind); }
    friend auto operator<=>(const Channel&, const Channel&) = default;  // NOLINT(*-nullptr)
  };
  /// Which numbers have come on a channel: the latest, and which of those right before it. What is
  /// older has come, because its sender could not have got so far ahead.
  struct Window {
    std::uint64_t latest = 0;
    std::uint64_t before = 0;  ///< bit i: latest - 1 - i has come

    void digest(Digest& into) const { into.add(latest, before); }
    friend bool operator==(const Window&, const Window&) = default;
  };

  std::uint64_t identity(const Message& message) override;
  [[nodiscard]] std::uint64_t identity_again(const Message& message,
                                             std::uint64_t number) const override;
  Verdict admit_current(Context& context, Message& message) override;
  [[nodiscard]] bool is_recovering() const override { return !is_up(); }
  [[nodiscard]] bool recovers_several() const override { return true; }
  void on_committed(Context& context) override;
  void digest_state(Digest& into) const override;
  [[nodiscard]] Channel channel_of(const Message& message) const;

  bool counts_;  ///< identities are sequence numbers of the sender, else the program's tags
  ChannelTable<Channel, Window> windows_;  ///< dupTable
};

}  // namespace faultline
