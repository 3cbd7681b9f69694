#!/usr/bin/env python3
"""One libtorrent session as a test peer: commands as JSON lines on stdin, one JSON answer a line on stdout.

Plain TCP only: no DHT, no local discovery, no port mapping, no uTP; no encryption until settings say so. Commands:
  add {torrent|magnet, dir, peers: [[ip, port]], upload_limit, download_limit, seed_mode, no_pex} -> {id}
  save {id, path, info} -> {}: resume data to a file; info: with the info dictionary
  status {id} -> {progress, state, upload, download, peers, payload_upload, payload_download, error}
  connect {id, ip, port}, tracker {id, url}, limit {id, upload, download}, peers {id}, remove {id}, settings {settings}, quit
  read {torrent} -> {v1, v2, pieces, piece_length, files: [[path, size, padding]]}
  make {path, torrent, piece_length, kind: v1|v2|hybrid, links} -> {}; links: they are kept, and v1 is padded
"""
import json
import os
import sys

import libtorrent as lt


def make_session(ip, port):
    # One thread writes and hashes, in order. With more of them libtorrent before 2.0.11 has a race of its own: a piece of a hybrid torrent
    # whose hash is known to be right but whose blocks are still being written is taken for a missing one when a peer's hashes
    # (v2) come just then, and the torrent stops with "v1 and v2 hashes do not describe the same data" (torrent::add_hashes).
    return lt.session({
        'aio_threads': 1,
        'listen_interfaces': '%s:%d' % ('[%s]' % ip if ':' in ip else ip, port), 'outgoing_interfaces': ip.strip('[]'),
        'enable_dht': False, 'enable_lsd': False, 'enable_upnp': False, 'enable_natpmp': False,
        'enable_outgoing_utp': False, 'enable_incoming_utp': False,
        'in_enc_policy': 2, 'out_enc_policy': 2, 'allow_multiple_connections_per_ip': True,
        'alert_mask': 0, 'mixed_mode_algorithm': 0, 'min_reconnect_time': 1, 'max_failcount': 100,
        'connection_speed': 100, 'unchoke_slots_limit': 50, 'active_limit': -1, 'active_seeds': -1, 'active_downloads': -1,
    })


def add(session, handles, c):
    if 'magnet' in c:
        params = lt.parse_magnet_uri(c['magnet'])
    else:
        params = lt.add_torrent_params()
        params.ti = lt.torrent_info(c['torrent'])
    params.save_path = c['dir']
    flags = lt.torrent_flags.update_subscribe
    if c.get('seed_mode'):
        flags |= lt.torrent_flags.seed_mode
    if c.get('no_pex'):
        flags |= lt.torrent_flags.disable_pex
    params.flags = flags
    if c.get('super_seeding'):
        flags |= lt.torrent_flags.super_seeding
        params.flags = flags
    if 'priorities' in c:
        params.file_priorities = c['priorities']
    if 'upload_limit' in c:
        params.upload_limit = c['upload_limit']
    if 'download_limit' in c:
        params.download_limit = c['download_limit']
    handle = session.add_torrent(params)
    handles.append(handle)
    for ip, port in c.get('peers', []):
        handle.connect_peer((ip, port))
    return {'id': len(handles) - 1}


def status(handle):
    s = handle.status()
    return {'progress': s.progress, 'state': str(s.state), 'upload': s.all_time_upload, 'download': s.all_time_download,
            'payload_upload': s.total_payload_upload, 'payload_download': s.total_payload_download,
            'peers': s.num_peers, 'seeding': s.is_seeding, 'metadata': s.has_metadata, 'error': s.errc.message() if s.errc.value() else ''}


def save(session, handle, c):
    handle.save_resume_data(lt.save_resume_flags_t.save_info_dict if c.get('info') else 0)
    for _ in range(100):
        session.wait_for_alert(100)
        for alert in session.pop_alerts():
            if isinstance(alert, lt.save_resume_data_alert):
                with open(c['path'], 'wb') as out:
                    out.write(lt.write_resume_data_buf(alert.params))
                return {}
    return {'error': 'no resume data'}


def read(c):
    info = lt.torrent_info(c['torrent'])
    hashes = info.info_hashes()
    files = info.files()
    padding = getattr(lt, 'file_flags_t', lt.file_storage).flag_pad_file
    rows = [[files.file_path(i), files.file_size(i), bool(files.file_flags(i) & padding)]
            for i in range(files.num_files())]
    return {'v1': str(hashes.v1) if hashes.has_v1() else '', 'v2': str(hashes.v2) if hashes.has_v2() else '',
            'pieces': info.num_pieces(), 'piece_length': info.piece_length(), 'files': rows}


def make(c):
    files = lt.file_storage()
    if c.get('links'):
        flags = lt.create_torrent.symlinks
        if c['kind'] == 'v1':
            flags |= lt.create_torrent.v1_only | lt.create_torrent.canonical_files
        elif c['kind'] == 'v2':
            flags |= lt.create_torrent.v2_only
        lt.add_files(files, c['path'], lambda path: True, flags)
        torrent = lt.create_torrent(files, c['piece_length'], flags)
        return write(torrent, c)
    lt.add_files(files, c['path'])
    if c['kind'] == 'hybrid':
        torrent = lt.create_torrent(files, c['piece_length'])
    else:
        flag = lt.create_torrent.v2_only if c['kind'] == 'v2' else lt.create_torrent.v1_only
        torrent = lt.create_torrent(files, c['piece_length'], flag)
    return write(torrent, c)


def write(torrent, c):
    lt.set_piece_hashes(torrent, os.path.dirname(c['path']))
    with open(c['torrent'], 'wb') as out:
        out.write(lt.bencode(torrent.generate()))
    return {}


def run(session, handles, c):
    op = c['op']
    if op == 'read':
        return read(c)
    if op == 'make':
        return make(c)
    if op == 'add':
        return add(session, handles, c)
    if op == 'port':
        return {'port': session.listen_port()}
    if op == 'settings':
        session.apply_settings(c['settings'])
        return {}
    if op == 'quit':
        sys.exit(0)
    handle = handles[c['id']]
    if op == 'save':
        return save(session, handle, c)
    if op == 'status':
        return status(handle)
    if op == 'connect':
        handle.connect_peer((c['ip'], c['port']))
    elif op == 'limit':
        handle.set_upload_limit(c.get('upload', 0))
        handle.set_download_limit(c.get('download', 0))
    elif op == 'peers':
        return {'peers': [{'ip': p.ip[0], 'client': p.client.decode('latin-1') if isinstance(p.client, bytes) else p.client,
                           'down': p.total_download, 'up': p.total_upload, 'pieces': p.num_pieces,
                           'upload_only': bool(p.flags & lt.peer_info.upload_only), 'seed': bool(p.flags & lt.peer_info.seed),
                           'utp': bool(p.flags & (1 << 17))} for p in handle.get_peer_info()]}
    elif op == 'tracker':
        handle.add_tracker({'url': c['url']})
        handle.force_reannounce()
    elif op == 'remove':
        session.remove_torrent(handle)
    else:
        return {'error': 'unknown op ' + op}
    return {}


def main():
    session = make_session(sys.argv[1], int(sys.argv[2]))
    handles = []
    for line in sys.stdin:
        try:
            answer = run(session, handles, json.loads(line))
        except Exception as error:  # the test sees it and fails
            answer = {'error': '%s: %s' % (type(error).__name__, error)}
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()


main()
