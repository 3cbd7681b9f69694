#!/usr/bin/env python3
"""Many libtorrent sessions as nodes of a DHT, in one process: commands as JSON lines on stdin, an answer a line on stdout.

Every session has a socket of its own; nothing but the DHT is on. Bytes go as hexadecimal text. Commands:
  start {ip, bootstrap: 'ip:port,...', settings} -> {id, port}
  size {id} -> {nodes}: live nodes of its routing tables
  announce {id, info_hash, dir} (by a torrent without metadata, at its listen port), find {id, info_hash}, sample {id, ip, port, target}
  put {id, value} -> {target}, fetch {id, target}, ping {id, ip, port}
  put_mutable {id, seed, key, salt, value}, fetch_mutable {id, key, salt}
  heard {id} -> {events}: what came since the last time, one object an alert
"""
import hashlib
import json
import sys

import libtorrent as lt

CATEGORIES = lt.alert.category_t.dht_notification | lt.alert.category_t.dht_operation_notification
sessions = []
waiting = []


def start(c):
    settings = {
        'listen_interfaces': '%s:0' % ('[%s]' % c['ip'] if ':' in c['ip'] else c['ip']),
        'dht_bootstrap_nodes': c.get('bootstrap', ''), 'alert_mask': CATEGORIES | lt.alert.category_t.stats_notification,
        'enable_dht': True, 'enable_lsd': False, 'enable_upnp': False, 'enable_natpmp': False, 'enable_incoming_utp': False,
        'enable_outgoing_utp': False,
    }
    settings.update(c.get('settings', {}))
    sessions.append(lt.session(settings))
    waiting.append([])
    return {'id': len(sessions) - 1, 'port': sessions[-1].listen_port()}


def item_of(alert):
    try:
        item = alert.item
    except RuntimeError:  # there is none
        return None
    if isinstance(item, dict):
        item = item.get('value')
    if item is None:
        return None
    return (item if isinstance(item, bytes) else str(item).encode('latin-1')).hex()


def event(alert):
    name = type(alert).__name__
    if name == 'dht_get_peers_reply_alert':
        return {'kind': 'peers', 'peers': [[peer[0], peer[1]] for peer in alert.peers()]}
    if name == 'dht_immutable_item_alert':
        return {'kind': 'item', 'value': item_of(alert)}
    if name == 'dht_mutable_item_alert':
        return {'kind': 'mutable', 'value': item_of(alert), 'seq': alert.seq, 'final': alert.authoritative}
    if name == 'dht_put_alert':
        return {'kind': 'put', 'stored': alert.num_success, 'seq': alert.seq}
    if name == 'dht_sample_infohashes_alert':
        return {'kind': 'samples', 'total': alert.num_infohashes, 'samples': [str(one) for one in alert.samples]}
    return None


def collect(id):
    size = None
    for alert in sessions[id].pop_alerts():
        if type(alert).__name__ == 'dht_stats_alert':
            size = (size or 0) + sum(bucket['num_nodes'] for bucket in alert.routing_table)
            continue
        found = event(alert)
        if found is not None:
            waiting[id].append(found)
    return size


def size(id):
    sessions[id].post_dht_stats()
    total = None
    for _ in range(100):
        sessions[id].wait_for_alert(50)
        found = collect(id)
        if found is not None:
            total = found
            break
    return {'nodes': total or 0}


def expanded(seed):
    secret = bytearray(hashlib.sha512(seed).digest())
    secret[0] &= 248
    secret[31] = (secret[31] & 63) | 64
    return bytes(secret)


def run(c):
    op = c['op']
    if op == 'start':
        return start(c)
    session = sessions[c['id']]
    if op == 'size':
        return size(c['id'])
    if op == 'heard':
        collect(c['id'])
        events = waiting[c['id']]
        waiting[c['id']] = []
        return {'events': events}
    raw = {key: bytes.fromhex(c[key]) for key in ('info_hash', 'target', 'value', 'seed', 'key', 'salt') if isinstance(c.get(key), str)}
    if op == 'announce':
        params = lt.parse_magnet_uri('magnet:?xt=urn:btih:' + c['info_hash'])
        params.save_path = c['dir']
        params.flags = lt.torrent_flags.update_subscribe
        session.add_torrent(params)
    elif op == 'find':
        session.dht_get_peers(lt.sha1_hash(raw['info_hash']))
    elif op == 'sample':
        session.dht_sample_infohashes((c['ip'], c['port']), lt.sha1_hash(raw['target']))
    elif op == 'put':
        return {'target': str(session.dht_put_immutable_item(raw['value']))}
    elif op == 'fetch':
        session.dht_get_immutable_item(lt.sha1_hash(raw['target']))
    elif op == 'ping':
        session.add_dht_node((c['ip'], c['port']))
    elif op == 'put_mutable':
        session.dht_put_mutable_item(expanded(raw['seed']), raw['key'], raw['value'], raw['salt'])
    elif op == 'fetch_mutable':
        session.dht_get_mutable_item(raw['key'], raw['salt'])
    else:
        return {'error': 'unknown op ' + op}
    return {}


def main():
    for line in sys.stdin:
        try:
            answer = run(json.loads(line))
        except Exception as error:  # the test sees it and fails
            answer = {'error': '%s: %s' % (type(error).__name__, error)}
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()


main()
