// One libtorrent session as a DHT node of a test: commands as lines on standard input, one answer a line on standard output. Built by
// libtorrent-items.ts, because the Python binding can neither take binary keys nor put a dictionary.
//
//   node IP PORT                 add a DHT node
//   nodes                        -> how many nodes the routing table has
//   keys SEED                    -> the public key of a seed (hexadecimal, as everything below)
//   put SEED SALT IH             puts {ih: IH} with the next sequence number -> "SEQ STORED"
//   putstring SEED SALT TEXT     the same with a plain string as value
//   get KEY SALT                 -> "SEQ IH" of the newest item found, or "none"
//   port                         -> the UDP port
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include <libtorrent/alert_types.hpp>
#include <libtorrent/bencode.hpp>
#include <libtorrent/entry.hpp>
#include <libtorrent/hex.hpp>
#include <libtorrent/kademlia/ed25519.hpp>
#include <libtorrent/kademlia/item.hpp>
#include <libtorrent/session.hpp>
#include <libtorrent/session_params.hpp>
#include <libtorrent/settings_pack.hpp>

using namespace lt;

static std::string unhex(std::string const& text)
{
	if (text == "-") return "";
	std::string bytes(text.size() / 2, '\0');
	aux::from_hex({text.data(), int(text.size())}, &bytes[0]);
	return bytes;
}

static std::array<char, 32> seed_of(std::string const& text)
{
	std::array<char, 32> seed{};
	auto const bytes = unhex(text);
	std::copy(bytes.begin(), bytes.end(), seed.begin());
	return seed;
}

// The alert of type T, or null after some seconds.
template <typename T, typename F>
static bool wait_for(session& ses, F&& use)
{
	auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
	while (std::chrono::steady_clock::now() < end)
	{
		ses.wait_for_alert(std::chrono::milliseconds(200));
		std::vector<alert*> alerts;
		ses.pop_alerts(&alerts);
		for (auto* a : alerts)
			if (auto* found = alert_cast<T>(a); found && use(*found)) return true;
	}
	return false;
}

static std::string put(session& ses, std::string const& seed, std::string const& salt, entry const& value)
{
	auto const keys = dht::ed25519_create_keypair(seed_of(seed));
	auto const pk = std::get<0>(keys);
	auto const sk = std::get<1>(keys);
	std::int64_t number = 0;
	ses.dht_put_item(pk.bytes, [=, &number](entry& e, std::array<char, 64>& sig, std::int64_t& seq, std::string const& s) {
		e = value;
		std::vector<char> buffer;
		bencode(std::back_inserter(buffer), e);
		++seq;
		number = seq;
		auto const signature = dht::sign_mutable_item(buffer, s, dht::sequence_number(seq), pk, sk);
		sig = signature.bytes;
	}, unhex(salt));
	int stored = -1;
	wait_for<dht_put_alert>(ses, [&](dht_put_alert const& a) { stored = a.num_success; return true; });
	return std::to_string(number) + " " + std::to_string(stored);
}

static std::string get(session& ses, std::string const& key, std::string const& salt)
{
	std::string answer = "none";
	ses.dht_get_item(seed_of(key), unhex(salt));
	wait_for<dht_mutable_item_alert>(ses, [&](dht_mutable_item_alert const& a) {
		if (a.item.type() == entry::dictionary_t && a.item.find_key("ih") != nullptr)
			answer = std::to_string(a.seq) + " " + aux::to_hex(a.item["ih"].string());
		return a.authoritative;
	});
	return answer;
}

int main(int argc, char* argv[])
{
	if (argc < 2) return 1;
	settings_pack pack;
	pack.set_str(settings_pack::listen_interfaces, std::string(argv[1]) + ":0");
	pack.set_bool(settings_pack::enable_dht, true);
	pack.set_bool(settings_pack::enable_lsd, false);
	pack.set_bool(settings_pack::enable_upnp, false);
	pack.set_bool(settings_pack::enable_natpmp, false);
	pack.set_str(settings_pack::dht_bootstrap_nodes, "");
	pack.set_bool(settings_pack::dht_restrict_routing_ips, false);
	pack.set_bool(settings_pack::dht_restrict_search_ips, false);
	pack.set_int(settings_pack::alert_mask, alert_category::dht | alert_category::status);
	session ses{session_params(pack)};
	std::string line;
	while (std::getline(std::cin, line))
	{
		std::istringstream in(line);
		std::string op, a, b, c;
		in >> op >> a >> b >> c;
		std::string answer = "ok";
		if (op == "node") ses.add_dht_node({a, std::stoi(b)});
		else if (op == "port") answer = std::to_string(ses.listen_port());
		else if (op == "nodes")
		{
			answer = "0";
			ses.post_dht_stats();
			wait_for<dht_stats_alert>(ses, [&](dht_stats_alert const& s) {
				int count = 0;
				for (auto const& bucket : s.routing_table) count += bucket.num_nodes;
				answer = std::to_string(count);
				return true;
			});
		}
		else if (op == "keys")
		{
			auto const keys = dht::ed25519_create_keypair(seed_of(a));
			answer = aux::to_hex(std::get<0>(keys).bytes);
		}
		else if (op == "put") { entry e; e["ih"] = unhex(c); answer = put(ses, a, b, e); }
		else if (op == "putstring") answer = put(ses, a, b, entry(c));
		else if (op == "get") answer = get(ses, a, b);
		else answer = "error unknown " + op;
		std::cout << answer << std::endl;
	}
}
