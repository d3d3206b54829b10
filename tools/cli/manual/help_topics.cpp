#include "tools/cli/manual/help_topics.hpp"

#include <algorithm>

namespace weft::cli {
namespace {

using Topics = std::vector<HelpTopic>;

Topics fabric_topics() {
  return {
      {{"topology", "topologies", "network"},
       "how switches and hosts are joined",
       {"fabric", "fabric.leaf-spine", "fabric.rail-optimised", "fabric.clos", "fabric.fat-tree",
        "fabric.cabled", "fabric.custom"},
       {"topo", "new"},
       {"topologies/README.md"},
       {"weft new --count 8 --fabric leaf-spine"}},
      {{"cluster", "cabling", "lldp", "netbox", "sonic", "ibnetdiscover", "slurm", "tuner"},
       "a scenario from files that describe a cluster, and files for it",
       {"fabric.cabled"},
       {"import", "expect", "diagnose", "deploy"},
       {"tools/cli/import/IMPORT.md", "tools/cli/diagnose/DIAGNOSE.md"}},
      {{"oversubscription", "oversubscribed", "blocking", "taper", "bisection"},
       "a leaf with less rate towards the spines than its hosts have: fewer spines, fewer parallel "
       "links, or slower ones",
       {"fabric.spines", "fabric.links_per_pair", "links.uplink.rate"},
       {"topo", "check"},
       {"scenarios/oversubscription.yaml"},
       {"weft new --count 8 --oversubscription 2", "weft new --count 8 --sweep oversubscription"}},
      {{"rail", "multi-rail", "rail-only"},
       "NIC i of every server on leaf i of its group",
       {"fabric.rail-optimised", "fabric.server.rails", "pxn"},
       {"topo"},
       {"scenarios/superpod.yaml", "scenarios/all-reduce-1024.yaml"},
       {"weft new --count 8 --fabric rail-optimised"}},
      {{"nvlink", "nvswitch", "scale-up-network", "intra-node"},
       "what joins the GPUs of a server or a rack; its rates are those of a part",
       {"fabric.server.scale_up", "fabric.single-domain"},
       {"list", "show"},
       {"scenarios/nvl72.yaml", "scenarios/scale-up-or-out.yaml"},
       {"weft new --machine gb200-nvl72"}},
      {{"infiniband", "ib"},
       "switches whose link layer is InfiniBand, with credits in place of pauses",
       {"fabric.switch.link_layer", "fabric.flow_control.credit"},
       {"list"},
       {"scenarios/credit-loop.yaml"}},
      {{"ethernet", "roce", "rdma", "rocev2"},
       "RoCEv2 over switches that pause or drop",
       {"transport.roce", "fabric.flow_control", "fabric.switch"},
       {},
       {"protocols/MODEL.md"}},
      {{"server", "servers", "machine", "machines", "gpu", "hardware", "dgx", "hgx", "catalogue",
        "catalog"},
       "parts that scenarios name, and what differs from them; `weft new --machine PART` makes a "
       "scenario of one, and `--sweep machine` compares it with its likes",
       {"racks[0].server", "racks[0].servers", "fabric.server"},
       {"list", "show", "new"},
       {"topologies/catalogue/README.md"},
       {"weft new --machine hgx-b200", "weft new --sweep machine"}},
      {{"bandwidth", "speed", "rate", "link-speed"},
       "rates of cables by role, of single cables, and of NICs",
       {"links.access.rate", "links.uplink.rate", "links.changes[0].rate", "fabric.nic.rate"},
       {"bench-collective"},
       {}},
      {{"cable", "fibre", "fiber", "length", "propagation"},
       "lengths and kinds of cables, or their latency",
       {"links.access", "links.uplink", "links.changes"},
       {"list"},
       {"topologies/catalogue/README.md"}},
      {{"buffer", "switch-buffer", "memory"},
       "the shared buffer of a switch, and what a run itself takes",
       {"fabric.switch.buffer", "fabric.flow_control.alpha", "fabric.classes[0].egress_alpha"},
       {"check"},
       {"protocols/MODEL.md"}},
  };
}

Topics queue_topics() {
  return {
      {{"congestion", "congestion-control", "cc"},
       "what senders do where queues grow",
       {"transport.congestion_control", "fabric.ecn", "transport.congestion_control.dcqcn"},
       {"explain"},
       {"protocols/CONTROLS.md", "scenarios/congestion-controls.yaml"},
       {"weft new --job incast --sweep congestion-control"}},
      {{"pfc", "pause", "pauses", "lossless", "backpressure", "storm"},
       "what keeps buffers from overflowing, and whom it stops",
       {"fabric.flow_control.pfc", "fabric.pause", "fabric.flow_control.headroom",
        "observe.pauses"},
       {"explain"},
       {"scenarios/pfc-headroom.yaml", "scenarios/pfc-victim.yaml", "scenarios/pfc-storm.yaml"},
       {"weft new --machine host-400g --count 32 --job incast"}},
      {{"deadlock", "deadlocks", "cycle"},
       "ports that wait for each other in a circle; `topo` finds circles before a run",
       {"fabric.flow_control", "fabric.next_hops"},
       {"topo", "check"},
       {"scenarios/pfc-deadlock.yaml"}},
      {{"loss", "lossy", "drop", "drops", "packet-loss", "retransmission"},
       "frames that links corrupt or full queues drop, and how they are sent again",
       {"links.uplink.frame_loss_rate", "faults.bit-errors", "fabric.flow_control.none",
        "transport.recovery"},
       {},
       {"scenarios/loss.yaml"}},
      {{"ecn", "marking", "red", "wred"},
       "thresholds from which switches mark packets",
       {"fabric.ecn.red", "fabric.ecn.kmin", "fabric.ecn.kmax", "fabric.ecn.pmax"},
       {"sweep"},
       {"scenarios/sweeps/dcqcn-ecn.yaml"},
       {"weft new --job incast --sweep ecn"}},
      {{"qos", "priority", "priorities", "traffic-class", "scheduling"},
       "traffic classes, and which of them a port serves first",
       {"fabric.classes", "fabric.classes[0].scheduling", "jobs[0].class", "jobs[0].dscp"},
       {},
       {"scenarios/priorities.yaml", "scenarios/converged.yaml"},
       {"weft new --storage tcp"}},
      {{"routing", "ecmp", "load-balancing", "spraying", "spray", "multipath", "collisions"},
       "which of several equal paths packets take: by switches, or by senders",
       {"fabric.load_balancing", "fabric.hash", "transport.path_selection", "fabric.weighted_ecmp"},
       {"topo"},
       {"scenarios/ecmp-collisions.yaml", "scenarios/permutation.yaml"},
       {"weft new --job permutation --sweep load-balancing"}},
      {{"latency", "delay", "rtt", "tail", "p99"},
       "latencies of cables, switches and NICs; what packets met stands in latency.csv",
       {"links.uplink.latency", "fabric.switch.latency", "fabric.nic.send_latency",
        "observe.queues"},
       {"explain", "report"},
       {"scenarios/RESULTS.md"},
       {"weft new --job incast --sweep size"}},
      {{"nic", "qp", "queue-pair", "mtu"},
       "what NICs do, and how connections are carried",
       {"fabric.nic", "transport.queue_pairs", "jobs[0].queue_pairs", "transport.mtu"},
       {"list"},
       {}},
  };
}

Topics job_topics() {
  return {
      {{"job", "workload", "traffic", "application"},
       "what hosts do: collectives, training, messages at a load or from a list",
       {"jobs", "jobs.all-reduce", "jobs.training", "jobs.open-loop", "jobs.messages",
        "jobs.incast"},
       {"new"},
       {"scenarios/LANGUAGE.md", "scenarios/SHIPPED.md"},
       {"weft new --job permutation --job all-reduce"}},
      {{"collective", "collectives", "allreduce", "mpi"},
       "collectives among the ranks of a job, and the algorithm of each",
       {"jobs.all-reduce", "jobs.all-gather", "jobs.reduce-scatter", "jobs.all-to-all",
        "jobs[0].algorithm"},
       {"bench-collective", "schedule"},
       {"scenarios/allreduce-algorithms.yaml"},
       {"weft new --job all-to-all", "weft new --job all-reduce --sweep size"}},
      {{"nccl", "rccl", "nccl-tests", "busbw"},
       "collectives as NCCL carries them out, beside what was measured",
       {"jobs[0].execution", "jobs[0].execution.preset", "pxn"},
       {"bench-collective", "expect"},
       {"collectives/NCCL.md", "scenarios/nccl-h100.yaml"},
       {"weft new --job all-reduce"}},
      {{"diagnosis", "measured", "perftest"},
       "what a cluster should reach, and what explains logs that are slower",
       {"jobs[0].execution", "fabric.load_balancing", "faults"},
       {"expect", "diagnose"},
       {"tools/cli/diagnose/DIAGNOSE.md"}},
      {{"training", "llm", "transformer", "model", "gpt", "llama"},
       "iterations of training a transformer on a plan of parallelism",
       {"jobs.training", "jobs[0].model", "jobs[0].parallelism", "jobs[0].batch"},
       {"estimate"},
       {"scenarios/gpt3-175b.yaml", "scenarios/llama3-405b-slice.yaml"},
       {"weft new --count 8 --model gpt3-175b"}},
      {{"moe", "mixture-of-experts", "mixture", "mixtral", "expert", "experts"},
       "tokens to experts: in a training job, or as an exchange by itself",
       {"jobs[0].routing", "jobs[0].parallelism.expert", "jobs.all-to-all-v"},
       {"new", "estimate", "compare"},
       {"scenarios/moe-deepseek.yaml", "scenarios/moe-all-to-all.yaml"},
       {"weft new --model deepseek-v3"}},
      {{"storage", "checkpoint", "nvme", "nfs", "background"},
       "traffic beside training: requests that servers answer, or messages at a load, in a class "
       "of "
       "its own",
       {"jobs.requests", "jobs.open-loop", "fabric.classes", "transport.tcp"},
       {},
       {"scenarios/converged.yaml"},
       {"weft new --storage tcp", "weft new --storage roce"}},
      {{"inference", "rpc", "client", "clients"},
       "clients that ask servers, and wait for the responses",
       {"jobs.requests", "jobs[0].clients", "jobs[0].fan_out", "jobs[0].response"},
       {},
       {}},
      {{"import", "trace", "replay", "csv", "input"},
       "what is read from files: transfers, sizes, a graph of tasks, the config.json of a model, "
       "tables of nccl-tests, hardware of your own",
       {"jobs.messages", "jobs[0].csv", "jobs[0].sizes.from", "jobs.graph", "jobs[0].model.config"},
       {"import", "bench-collective", "list"},
       {"scenarios/LANGUAGE.md", "tools/cli/import/IMPORT.md"}},
  };
}

Topics rank_topics() {
  return {
      {{"placement", "mapping", "rank", "host", "hosts", "affinity"},
       "which hosts a job runs on, in which order",
       {"jobs[0].ranks", "jobs[0].ranks.hosts", "jobs[0].ranks.random"},
       {"topo"},
       {},
       {"weft new --job all-reduce --job incast"}},
      {{"straggler", "slow-gpu", "jitter", "noise"},
       "ranks that are late, slow or irregular",
       {"jobs[0].stragglers", "jobs[0].noise", "jobs[0].jitter"},
       {"explain"},
       {"scenarios/straggler.yaml", "scenarios/straggler-gpu.yaml"}},
      {{"fault", "failure", "failures", "outage", "flap", "incident", "incidents"},
       "links and switches that fail or slow down, who notices when, and when routes follow",
       {"faults", "faults.link-down", "faults.switch-down", "faults.flapping",
        "fabric.convergence"},
       {"explain", "report"},
       {"scenarios/link-failure.yaml", "scenarios/flapping.yaml", "scenarios/RESULTS.md"}},
  };
}

Topics result_topics() {
  return {
      {{"results", "output", "export", "metrics", "summary"},
       "what a run writes, and what shows it",
       {"observe"},
       {"run", "report", "compare", "export"},
       {"scenarios/RESULTS.md"}},
      {{"blame", "bottleneck", "slow", "slowdown", "why", "culprit"},
       "who is to blame for the time of a run: `weft run --blame`, then `weft explain`",
       {"observe.blame"},
       {"run", "explain"},
       {"scenarios/BLAME.md"}},
      {{"timeline", "perfetto", "tracing", "gantt"},
       "what ranks did when, for a browser: `weft run --timeline`",
       {"observe.timeline"},
       {"run", "report"},
       {"scenarios/TIMELINE.md"}},
      {{"plot", "graph", "chart", "html", "visualise", "visualize"},
       "pages of results and of fabrics; curves of sweeps",
       {},
       {"report", "plot", "topo"},
       {"tools/report/REPORT.md"}},
      {{"parameter-study", "parameters", "optimise", "optimize", "tune", "tuning", "grid"},
       "one scenario run many times, or the best of what is estimated",
       {"sweep.axes", "sweep.objectives", "sweep.strategy", "sweep.choose"},
       {"sweep", "summarize", "plot"},
       {"tools/sweep/REFERENCE.md"},
       {"weft new --job incast --sweep ecn"}},
      {{"ci", "test", "regression", "expect", "assert", "continuous-integration"},
       "exit codes by what is expected of results: `--expect` of `weft run` and `weft compare`",
       {},
       {"run", "compare"},
       {"tools/cli/EXPECTATIONS.md"}},
      {{"threads", "parallel", "performance", "runtime", "faster"},
       "what a run costs: `weft check` forecasts it; threads, reuse and the fluid engine lower it",
       {"run.reuse", "run.partition"},
       {"check", "run"},
       {"scenarios/REUSE.md", "scenarios/PERFORMANCE.md"}},
      {{"fluid", "engine", "simgrid"},
       "fair shares of rate in place of packets: `weft run --engine fluid`; and fabrics for "
       "SimGrid",
       {},
       {"run", "platform"},
       {"simcore/fluid/README.md"}},
      {{"random", "seed", "deterministic", "reproducible"},
       "one seed decides everything that is random; sweeps repeat points with several",
       {"seed", "sweep.seeds"},
       {"run"},
       {}},
      {{"units", "unit", "quantity"},
       "how sizes, times, rates and lengths are written",
       {},
       {},
       {"scenarios/LANGUAGE.md"}},
      {{"example", "examples", "tutorial", "start", "quickstart", "scenario"},
       "a first scenario, and those that come with weft",
       {},
       {"new", "run", "check"},
       {"README.md", "scenarios/SHIPPED.md"},
       {"weft new -o first.yaml"}},
  };
}

Topics all_topics() {
  Topics all;
  for (Topics part :
       {fabric_topics(), queue_topics(), job_topics(), rank_topics(), result_topics()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

const std::vector<HelpTopic>& help_topics() {
  static const Topics topics = all_topics();
  return topics;
}

const HelpTopic* find_topic(const std::string& word) {
  const auto has_word = [&word](const HelpTopic& topic) {
    return std::ranges::find(topic.words, word) != topic.words.end();
  };
  const auto found = std::ranges::find_if(help_topics(), has_word);
  return found == help_topics().end() ? nullptr : &*found;
}

}  // namespace weft::cli
