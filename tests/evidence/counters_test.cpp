#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tools/evidence/counters/counter_forms.hpp"
#include "tools/evidence/counters/counter_meaning.hpp"

namespace weft::evidence {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Form* form_of(const InputFile& file) {
  const Form* found = nullptr;
  for (const Form& form : counter_forms()) {
    if (!form.recognise(file)) continue;
    EXPECT_EQ(found, nullptr) << form.name << " and " << found->name;
    found = &form;
  }
  return found;
}

Measurements read_counters(const std::string& text, const std::string& name = "a.txt") {
  Measurements measurements;
  const InputFile file(name, text);
  const Form* form = form_of(file);
  if (form != nullptr) form->read(file, measurements);
  return measurements;
}

std::vector<std::string> remark_lines(const Remarks& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(remark.to_string());
  return lines;
}

std::string counter_text(const Counter& c) {
  return c.device + " " + c.port + " " + c.name + " " + std::to_string(c.value);
}

std::vector<std::string> texts_of(const Measurements& measurements) {
  std::vector<std::string> texts;
  for (const Counter& counter : measurements.counters) texts.push_back(counter_text(counter));
  return texts;
}

const std::string kEthtool =
    "# gpu03 enp168s0np0\n"
    "NIC statistics:\n"
    "     rx_packets: 1234567\n"
    "     rx_out_of_buffer: 42\n"
    "     rx_prio3_pause: 5\n"
    "     tx_prio3_pause: 90017\n"
    "     rx_symbol_err_phy: 0\n"
    "     outbound_pci_stalled_wr: 61\n";

const std::string kRdma =
    "# gpu03\n"
    "/sys/class/infiniband/mlx5_5/ports/1/hw_counters/out_of_sequence:17\n"
    "/sys/class/infiniband/mlx5_5/ports/1/hw_counters/packet_seq_err:3\n"
    "/sys/class/infiniband/mlx5_6/ports/1/hw_counters/packet_seq_err:0\n";

const std::string kMlnxQos =
    "root@gpu01:~# mlnx_qos -i enp24s0np0\n"
    "DCBX mode: OS controlled\n"
    "Priority trust state: dscp\n"
    "dscp2prio mapping:\n"
    "\tprio:0 dscp:07,06,05,04,03,02,01,00,\n"
    "\tprio:3 dscp:31,30,29,28,27,26,25,24,\n"
    "Cable len: 7\n"
    "PFC configuration:\n"
    "\tpriority    0   1   2   3   4   5   6   7\n"
    "\tenabled     0   0   0   1   0   0   0   0   \n"
    "tc: 0 ratelimit: unlimited, tsa: vendor\n"
    "\t priority:  1\n";

const std::string kSonic =
    "admin@leaf01:~$ show pfc counters\n"
    "  Port Rx    PFC0    PFC3\n"
    "---------  ------  ------\n"
    "Ethernet0       0   1,203\n"
    "Ethernet4     N/A     403\n"
    "\n"
    "  Port Tx    PFC0    PFC3\n"
    "---------  ------  ------\n"
    "Ethernet0       0     213\n"
    "admin@leaf01:~$ show priority-group watermark headroom\n"
    "Ingress headroom per PG:\n"
    "     Port    PG0    PG3\n"
    "---------  -----  ------\n"
    "Ethernet0      0  390000\n"
    "admin@leaf01:~$ show queue watermark unicast\n"
    "Egress shared pool occupancy per unicast queue:\n"
    "     Port    UC0      UC3\n"
    "---------  -----  -------\n"
    "Ethernet0      0  2056704\n"
    "admin@leaf01:~$ show interfaces counters\n"
    "    IFACE    STATE    RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR    TX_OK  "
    "      TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR\n"
    "---------  -------  -------  ------------  ---------  --------  --------  --------  -------  "
    "------------  ---------  --------  --------  --------\n"
    "Ethernet0        U        8  2000.00 MB/s     64.00%        10       100       N/A       10  "
    "1500.00 MB/s     48.00%         0         7         0\n";

TEST(Counters, EthtoolGivesCountersOfAHostAndInterface) {
  const Measurements found = read_counters(kEthtool);
  EXPECT_THAT(found.remarks, IsEmpty());
  ASSERT_EQ(found.counters.size(), 6U);
  EXPECT_EQ(counter_text(found.counters[1]), "gpu03 enp168s0np0 rx_out_of_buffer 42");
  EXPECT_EQ(found.counters[1].where.line, 4);
  EXPECT_THAT(found.recognised, ElementsAre("a.txt: ethtool -S of gpu03: 6 counters of 1 ports"));
}

TEST(Counters, TheNameOfTheFileNamesHostAndInterface) {
  const std::string text = kEthtool.substr(kEthtool.find('\n') + 1);
  const Measurements found = read_counters(text, "logs/ethtool-gpu03-enp168s0np0.txt");
  EXPECT_EQ(counter_text(found.counters[0]), "gpu03 enp168s0np0 rx_packets 1234567");
  EXPECT_THAT(remark_lines(read_counters(text).remarks),
              ElementsAre(HasSubstr("does not say whose")));
}

TEST(Counters, RdmaCountersAreOfTheirNics) {
  const Measurements found = read_counters(kRdma);
  EXPECT_THAT(texts_of(found),
              ElementsAre("gpu03 mlx5_5 out_of_sequence 17", "gpu03 mlx5_5 packet_seq_err 3",
                          "gpu03 mlx5_6 packet_seq_err 0"));
}

TEST(Counters, MlnxQosGivesTrustAndPriorities) {
  const Measurements found = read_counters(kMlnxQos);
  EXPECT_THAT(remark_lines(found.remarks), IsEmpty());
  ASSERT_EQ(found.nic_qos.size(), 1U);
  const NicQos& nic = found.nic_qos[0];
  EXPECT_EQ(nic.host, "gpu01");
  EXPECT_EQ(nic.interface, "enp24s0np0");
  EXPECT_EQ(nic.trust, "dscp");
  EXPECT_THAT(nic.pfc, ElementsAre(3));
  EXPECT_EQ(nic.priorities.at(26), 3U);
  EXPECT_EQ(nic.priorities.size(), 16U);
  EXPECT_THAT(nic_qos_statements(found.nic_qos), IsEmpty());
}

TEST(Counters, NicsThatDoNotTreatRoceAsLosslessAreNamed) {
  const auto text_after = [](std::string_view from, std::string_view to) {
    std::string text = kMlnxQos;
    text.replace(text.find(from), from.size(), to);
    const auto statements = nic_qos_statements(read_counters(text).nic_qos);
    return statements.size() == 1 ? statements[0].text : std::to_string(statements.size());
  };
  EXPECT_THAT(text_after("state: dscp", "state: pcp"),
              AllOf(HasSubstr("gpu01 enp24s0np0"), HasSubstr("not DSCP 26")));
  EXPECT_THAT(text_after("0   0   0   1   0", "0   0   0   0   1"),
              HasSubstr("DSCP 26 has priority 3, and PFC is on for 4"));
  EXPECT_THAT(text_after("0   0   0   1   0", "0   0   0   0   0"), HasSubstr("for no priority"));
}

TEST(Counters, SonicTablesGiveCountersOfPorts) {
  const Measurements found = read_counters(kSonic);
  EXPECT_THAT(remark_lines(found.remarks), IsEmpty());
  const auto texts = texts_of(found);
  for (const std::string text :
       {"leaf01 Ethernet0 PFC3 Rx 1203", "leaf01 Ethernet4 PFC3 Rx 403",
        "leaf01 Ethernet0 PFC3 Tx 213", "leaf01 Ethernet0 PG3 headroom watermark 390000",
        "leaf01 Ethernet0 UC3 watermark 2056704", "leaf01 Ethernet0 RX_ERR 10",
        "leaf01 Ethernet0 TX_DRP 7"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  // No counter where the switch has none, and none of rates.
  EXPECT_EQ(texts.size(), 3U + 2U + 2U + 2U + 7U);
}

TEST(Counters, CutOutputsAreRefused) {
  const auto errors = [](const std::string& text) {
    const Measurements found = read_counters(text);
    EXPECT_TRUE(found.counters.empty() && found.nic_qos.empty());
    return remark_lines(found.remarks);
  };
  EXPECT_THAT(errors(kEthtool.substr(0, kEthtool.rfind(':'))), Contains(HasSubstr("error: ")));
  EXPECT_THAT(errors(kMlnxQos.substr(0, kMlnxQos.find("PFC conf"))),
              Contains(HasSubstr("it was cut")));
  EXPECT_THAT(errors(kSonic.substr(0, kSonic.rfind("48.00%"))), Contains(HasSubstr("a row of 10")));
  EXPECT_THAT(errors("# leaf01\n  Port Rx    PFC0    PFC3\n---------  ------  ------\n"),
              Contains(HasSubstr("has no row")));
}

TEST(Counters, ValuesThatAreNoNumbersAndNamesThatStandTwiceAreErrors) {
  const auto lines = remark_lines(
      read_counters("# a b\nNIC statistics:\n x: 1e3\n y: -2\n z: 1\n z: 1\n").remarks);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("a.txt:3: error: `x`: `1e3` found"), HasSubstr("`-2`"),
                                 HasSubstr("a.txt:6: error: `z` stands twice")));
  EXPECT_THAT(remark_lines(read_counters("# a b\nNIC statistics:\n x: 1,2\n").remarks),
              ElementsAre(HasSubstr("`1,2` found")));
}

TEST(Counters, EachSpeaksForItsCulprit) {
  const std::map<std::string, CounterCulprit> culprits{
      {"rx_out_of_buffer", CounterCulprit::kHost},
      {"out_of_sequence", CounterCulprit::kLoss},
      {"packet_seq_err", CounterCulprit::kLoss},
      {"local_ack_timeout_err", CounterCulprit::kLoss},
      {"rx_prio3_pause", CounterCulprit::kCongestion},
      {"tx_prio3_pause", CounterCulprit::kPause},
      {"np_ecn_marked_roce_packets", CounterCulprit::kMarks},
      {"rx_symbol_err_phy", CounterCulprit::kLink},
      {"rx_fec_uncorrectable_blocks", CounterCulprit::kLink},
      {"outbound_pci_stalled_wr", CounterCulprit::kPcie},
      {"PFC3 Tx", CounterCulprit::kCongestion},
      {"PG3 headroom watermark", CounterCulprit::kCongestion},
      {"TX_DRP", CounterCulprit::kLoss},
      {"RX_ERR", CounterCulprit::kLink}};
  for (const auto& [name, culprit] : culprits) {
    const auto meaning = meaning_of(name);
    ASSERT_TRUE(meaning.has_value()) << name;
    EXPECT_EQ(meaning->culprit, culprit) << name;
    EXPECT_FALSE(meaning->counts.empty() || meaning->source.empty()) << name;
  }
  for (const std::string name : {"rx_packets", "rx_prio_pause", "rx_prio3_pause_", "RX_OK", ""}) {
    EXPECT_FALSE(meaning_of(name).has_value()) << name;
  }
}

TEST(Counters, StatementsNameTheCounterItsValueAndItsSource) {
  const auto statements = counter_statements(read_counters(kEthtool).counters);
  ASSERT_EQ(statements.size(), 4U);
  EXPECT_EQ(statements[0].culprit, CounterCulprit::kPause);
  EXPECT_THAT(statements[0].text,
              AllOf(HasSubstr("gpu03 enp168s0np0: tx_prio3_pause 90017: pauses that the NIC sent"),
                    HasSubstr("mlx5/counters.rst")));
  EXPECT_EQ(statements[1].culprit, CounterCulprit::kPcie);
  EXPECT_THAT(statements[1].text, HasSubstr("outbound_pci_stalled_wr 61: percent"));
  EXPECT_EQ(statements[2].culprit, CounterCulprit::kHost);
  EXPECT_EQ(statements[3].culprit, CounterCulprit::kCongestion);
  EXPECT_EQ(statements[3].where.line, 5);
}

TEST(Counters, NamesCannotCommandTheTerminal) {
  const auto statements = counter_statements({{"a\x1b[31m", "b", "TX_DRP", 1, {}}});
  EXPECT_THAT(statements[0].text, testing::Not(HasSubstr("\x1b")));
}

TEST(Counters, OneChangedDigitIsSeenOrRefused) {
  std::mt19937_64 random(5);
  for (const std::string& good : {kEthtool, kRdma, kMlnxQos, kSonic}) {
    const auto facts = [](const Measurements& m) {
      std::string text;
      for (const Counter& counter : m.counters) text += counter_text(counter) + "\n";
      for (const NicQos& nic : m.nic_qos) {
        text += nic.host + nic.interface + nic.trust;
        for (const auto priority : nic.pfc) text += std::to_string(priority);
        for (const auto& [dscp, priority] : nic.priorities) {
          text += std::to_string(dscp) + ">" + std::to_string(priority) + " ";
        }
      }
      return text;
    };
    const std::string expected = facts(read_counters(good));
    for (int i = 0; i < 300; ++i) {
      std::string text = good;
      const std::size_t at = random() % text.size();
      const std::size_t begin = text.rfind('\n', at) + 1;
      const std::string line = text.substr(begin, text.find('\n', at) - begin);
      // Rates and loads are left, as is what mlnx_qos says of cables and schedulers.
      const bool is_left = line.find("Cable") == 0 || line.find("tc:") == 0 ||
                           line.find("prio mapping") != std::string::npos ||
                           line.find("priority:") != std::string::npos ||
                           line.find("MB/s") != std::string::npos ||
                           line.find("ports/1/") != std::string::npos;
      if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
        text[at] = static_cast<char>(random() % 256);
        (void)read_counters(text);
        (void)read_counters(good.substr(0, at));
        continue;
      }
      if (is_left) continue;
      text[at] =
          static_cast<char>('0' + (text[at] - '0' + 1 + static_cast<int>(random() % 9)) % 10);
      const Measurements found = read_counters(text);
      EXPECT_TRUE(has_errors(found.remarks) || facts(found) != expected) << text.substr(begin, 60);
    }
  }
}

}  // namespace
}  // namespace weft::evidence
