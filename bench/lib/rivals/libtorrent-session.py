#!/usr/bin/env python3
"""One libtorrent session for benchmarks: commands as JSON lines on stdin, one JSON answer a line on stdout.

libtorrent-session.py IP [utp]. TCP only, or uTP only: no DHT, local discovery, port mapping or encryption; no queueing;
the rest is libtorrent's default, except for how often a uTP packet may get lost. Waiting is by alerts, so that it costs the measured process nothing. Commands:
  port -> {port}
  add {torrent|magnet, dir, peers: [[ip, port]], seed_mode, paused, upload_limit} (the torrent added last is the one
      that wait and recheck speak of)
  wait {what: complete|metadata, seconds}, recheck {seconds}
  written {seconds}: it says complete while the last blocks still wait to be written; now they are in the file
  deadlines {from, to}: these pieces first, in order, as for a player; then first: the first of them is here, rest: all
      are, bytes -> {base64} of them
  many {torrents: [path], dir, paused, seed_mode}, count -> {count}
  make {path, format: v1|hybrid, piece_length} -> {v1, v2}: the info hashes of a new torrent, v2 empty for v1
"""
import base64
import json
import os
import sys
import time

import libtorrent as lt

ALERTS = lt.alert.category_t.status_notification | lt.alert.category_t.storage_notification


def make_session(ip, utp):
    return lt.session({
        'listen_interfaces': ip + ':0', 'outgoing_interfaces': ip,
        'enable_dht': False, 'enable_lsd': False, 'enable_upnp': False, 'enable_natpmp': False,
        'enable_outgoing_utp': utp, 'enable_incoming_utp': utp, 'enable_outgoing_tcp': not utp,
        'enable_incoming_tcp': not utp,
        # At 3, the default, it gives a connection up without a word once in a thousand packets at 10 % loss.
        'utp_num_resends': 12,
        'in_enc_policy': 2, 'out_enc_policy': 2,
        'allow_multiple_connections_per_ip': True, 'unchoke_slots_limit': 32, 'min_reconnect_time': 1,
        'active_limit': 100000, 'active_seeds': -1, 'active_downloads': -1, 'alert_mask': ALERTS,
    })


def params_of(c, torrent=None):
    if 'magnet' in c:
        params = lt.parse_magnet_uri(c['magnet'])
    else:
        params = lt.add_torrent_params()
        params.ti = lt.torrent_info(torrent or c['torrent'])
    params.save_path = c['dir']
    flags = lt.torrent_flags.update_subscribe | lt.torrent_flags.disable_pex
    if c.get('seed_mode'):
        flags |= lt.torrent_flags.seed_mode
    if c.get('paused'):
        flags |= lt.torrent_flags.paused
    params.flags = flags
    if c.get('upload_limit'):
        params.upload_limit = c['upload_limit']
    return params


class Driver:
    def __init__(self, ip, utp):
        self.session = make_session(ip, utp)
        self.last = None

    def port(self, c):
        return {'port': self.session.listen_port()}

    def add(self, c):
        self.last = self.session.add_torrent(params_of(c))
        for ip, port in c.get('peers', []):
            self.last.connect_peer((ip, port))

    def until(self, done, seconds):
        """Looks when an alert comes, and every 50 ms for what has none."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                s = self.last.status()
                raise TimeoutError('%s %.3f peers %d %s' % (s.state, s.progress, s.num_peers, s.errc.message()))
            self.session.wait_for_alert(50)
            self.session.pop_alerts()

    def wait(self, c):
        if c['what'] == 'metadata':
            self.until(lambda: self.last.status().has_metadata, c['seconds'])
        else:
            self.until(lambda: self.last.status().is_seeding, c['seconds'])

    def written(self, c):
        self.session.pop_alerts()
        self.last.flush_cache()
        end, flushed = time.monotonic() + c['seconds'], False
        while not flushed:
            if time.monotonic() > end:
                raise TimeoutError('written')
            self.session.wait_for_alert(1000)
            flushed = any(isinstance(a, lt.cache_flushed_alert) for a in self.session.pop_alerts())

    def deadlines(self, c):
        self.wanted, self.pieces = range(c['from'], c['to'] + 1), {}
        for piece in self.wanted:
            late = 100 * (piece - c['from'])
            self.last.set_piece_deadline(piece, late, lt.deadline_flags_t.alert_when_available)

    def until_read(self, pieces):
        end = time.monotonic() + 60
        while not all(piece in self.pieces for piece in pieces):
            if time.monotonic() > end:
                raise TimeoutError('read')
            self.session.wait_for_alert(1000)
            for a in self.session.pop_alerts():
                if isinstance(a, lt.read_piece_alert) and a.buffer:
                    self.pieces[a.piece] = a.buffer

    def first(self, c):
        self.until_read(self.wanted[:1])

    def rest(self, c):
        self.until_read(self.wanted)

    def bytes(self, c):
        whole = b''.join(self.pieces[piece] for piece in self.wanted)
        return {'base64': base64.b64encode(whole).decode()}

    def recheck(self, c):
        """Done when libtorrent says that it has checked: the state alone cannot tell before from after."""
        self.session.pop_alerts()
        self.last.force_recheck()
        end, checked = time.monotonic() + c['seconds'], False
        while not checked:
            if time.monotonic() > end:
                raise TimeoutError('recheck')
            self.session.wait_for_alert(1000)
            checked = any(isinstance(a, lt.torrent_checked_alert) for a in self.session.pop_alerts())
        if not self.last.status().is_seeding:
            raise RuntimeError('the check found bad data')

    def many(self, c):
        handles = [self.session.add_torrent(params_of(c, path)) for path in c['torrents']]
        wanted = len(handles)
        peers = c.get('peers', [])
        for handle in handles:
            for ip, port in peers:
                handle.connect_peer((ip, port))
        if c.get('paused'):
            return
        end = time.monotonic() + 600
        while sum(1 for h in handles if h.status().is_seeding) < wanted:
            if time.monotonic() > end:
                raise TimeoutError('many')
            time.sleep(0.1)

    def count(self, c):
        return {'count': len(self.session.get_torrents())}

    def make(self, c):
        files = lt.file_storage()
        lt.add_files(files, c['path'])
        torrent = lt.create_torrent(files, c['piece_length'], lt.create_torrent.v1_only if c['format'] == 'v1' else 0)
        lt.set_piece_hashes(torrent, os.path.dirname(c['path']))
        hashes = lt.torrent_info(torrent.generate()).info_hashes()
        return {'v1': str(hashes.v1), 'v2': str(hashes.v2) if hashes.has_v2() else ''}


def main():
    driver = Driver(sys.argv[1], sys.argv[2:] == ['utp'])
    for line in sys.stdin:
        try:
            c = json.loads(line)
            answer = getattr(driver, c['op'])(c) or {}
        except Exception as error:  # the benchmark sees it and names it
            answer = {'error': '%s: %s' % (type(error).__name__, error)}
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()


main()
