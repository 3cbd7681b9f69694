#!/usr/bin/env python3
"""Makes and reads torrents with libtorrent: one command as JSON in the first argument, one JSON answer on stdout.

  make {parent, files: [path below parent], format: v1|v2|hybrid, piece_length (0 = libtorrent chooses), out, private,
        tiers: [[url]], web_seeds: [url], comment, creator} -> as read
  read {torrent} -> {v1, v2 (hexadecimal or null), name, piece_length, pieces, files: [[path, size, padding]], tiers,
        web_seeds, private, comment, creator}
"""
import json
import os
import sys

import libtorrent as lt


def make(c):
    storage = lt.file_storage()
    for path in c['files']:
        storage.add_file(path, os.path.getsize(os.path.join(c['parent'], path)))
    flags = {'v1': lt.create_torrent.v1_only, 'v2': lt.create_torrent.v2_only, 'hybrid': 0}[c['format']]
    torrent = lt.create_torrent(storage, piece_size=c['piece_length'], flags=flags)
    for tier, urls in enumerate(c.get('tiers', [])):
        for url in urls:
            torrent.add_tracker(url, tier)
    for url in c.get('web_seeds', []):
        torrent.add_url_seed(url)
    torrent.set_priv(bool(c.get('private')))
    torrent.set_comment(c.get('comment', ''))
    torrent.set_creator(c.get('creator', ''))
    lt.set_piece_hashes(torrent, c['parent'])
    with open(c['out'], 'wb') as out:
        out.write(lt.bencode(torrent.generate()))
    return read({'torrent': c['out']})


def read(c):
    info = lt.torrent_info(c['torrent'])
    hashes = info.info_hashes()
    files = info.files()
    tiers = {}
    for entry in info.trackers():
        tiers.setdefault(entry.tier, []).append(entry.url)
    return {
        'v1': str(hashes.v1) if hashes.has_v1() else None,
        'v2': str(hashes.v2) if hashes.has_v2() else None,
        'name': info.name(),
        'piece_length': info.piece_length(),
        'pieces': info.num_pieces(),
        'files': [[files.file_path(i), files.file_size(i), bool(files.file_flags(i) & lt.file_flags_t.flag_pad_file)]
                  for i in range(files.num_files())],
        'tiers': [tiers[tier] for tier in sorted(tiers)],
        'web_seeds': [seed['url'] for seed in info.web_seeds()],
        'private': info.priv(),
        'comment': info.comment(),
        'creator': info.creator(),
    }


command = json.loads(sys.argv[1])
json.dump({'make': make, 'read': read}[command['op']](command), sys.stdout)
