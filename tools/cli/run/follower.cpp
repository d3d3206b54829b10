#include "tools/cli/run/follower.hpp"

namespace weft::cli {

Follower::Follower(const RunArguments& arguments, const scenarios::Experiment& experiment,
                   Engine engine)
    : line_(!arguments.is_quiet && !arguments.is_live,
            engine == Engine::kFluid ? "messages" : "packet-hops") {
  if (!arguments.is_live) return;
  display_.emplace();
  view_.emplace(experiment, engine == Engine::kFluid ? "messages" : "packet-hops");
}

bool Follower::poll(const scenarios::Progress& progress) {
  if (view_ && progress.stage.empty()) view_->show(*display_, progress, progress.is_last);
  has_ended_ |= progress.is_last;
  line_.update(progress);
  return !is_interrupted();
}

scenarios::MessageSink Follower::sink(scenarios::RunFiles& files) {
  if (!view_) {
    if (!files.has_messages()) return {};
    return [&files](const scenarios::MessageResult& message) { files.write(message); };
  }
  return [this, &files](const scenarios::MessageResult& message) {
    if (files.has_messages()) files.write(message);
    view_->add(message);
  };
}

void Follower::end(const scenarios::Results& results) {
  if (view_ && !has_ended_) {
    scenarios::Progress last;
    last.now = results.simulated;
    last.count = results.messages.completed();
    view_->show(*display_, last, true);
  }
  display_.reset();
}

}  // namespace weft::cli
