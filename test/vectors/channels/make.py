"""Makes channels.json: records, heads, votes, trees and packs of channels, written from decisions 0400, 0401 and 0404 without the code
that is tested. Ed25519 as in RFC 8032, in whole numbers, so that nothing has to be installed."""

import hashlib
import json
import os
import struct
import sys

# --- Ed25519 (RFC 8032, 5.1)
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    x, y, z, t = a
    x2, y2, z2, t2 = b
    m, n = (y - x) * (y2 - x2) % P, (y + x) * (y2 + x2) % P
    c, d = 2 * t * t2 * D % P, 2 * z * z2 % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(k, point):
    result = (0, 1, 1, 0)
    while k > 0:
        if k & 1:
            result = add(result, point)
        point = add(point, point)
        k >>= 1
    return result


def root_x(y):
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 != 0 else x


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (root_x(BASE_Y), BASE_Y, 1, root_x(BASE_Y) * BASE_Y % P)


def pack_point(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    return int.to_bytes((y * inverse % P) | ((x * inverse % P & 1) << 255), 32, 'little')


def scalar(seed):
    digest = hashlib.sha512(seed).digest()
    number = int.from_bytes(digest[:32], 'little')
    return (number & ((1 << 254) - 8)) | (1 << 254), digest[32:]


def public_key(seed):
    return pack_point(times(scalar(seed)[0], BASE))


def sign(seed, message):
    number, prefix = scalar(seed)
    key = pack_point(times(number, BASE))
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), 'little') % L
    point = pack_point(times(r, BASE))
    h = int.from_bytes(hashlib.sha512(point + key + message).digest(), 'little') % L
    return point + int.to_bytes((r + h * number) % L, 32, 'little')


# --- fields
def u48(number):
    return struct.pack('>Q', number)[2:]


def text(value):
    raw = value.encode('utf-8')
    return struct.pack('>H', len(raw)) + raw


OWNER = bytes([1]) * 32
KEY = public_key(OWNER)
CHANNEL = hashlib.sha1(KEY).digest()
KINDS = ['channel', 'torrent', 'playlist', 'entry', 'edit', 'deletion', 'grant', 'comment']
MODES = ['closed', 'semi-open', 'open']


def content(c):
    kind = c['kind']
    if kind == 'channel':
        return text(c['name']) + text(c['description']) + bytes([MODES.index(c['mode'])])
    if kind == 'torrent':
        out = bytes.fromhex(c['infoHash']) + text(c['name']) + text(c['description']) + u48(c['size']) + text(c['category'])
        out += bytes([len(c['trackers'])]) + b''.join(text(t) for t in c['trackers'])
        out += struct.pack('>IB', c['fileCount'], len(c['files']))
        return out + b''.join(text(f['path']) + u48(f['size']) for f in c['files'])
    if kind == 'playlist':
        return text(c['name']) + text(c['description'])
    if kind == 'entry':
        return bytes.fromhex(c['playlist']) + bytes.fromhex(c['infoHash'])
    if kind == 'edit':
        flags = (1 if c['name'] is not None else 0) | (2 if c['description'] is not None else 0)
        parts = [text(c[k]) for k in ('name', 'description') if c[k] is not None]
        return bytes.fromhex(c['target']) + bytes([flags]) + b''.join(parts)
    if kind == 'deletion':
        return bytes([len(c['targets'])]) + b''.join(bytes.fromhex(t) for t in c['targets'])
    if kind == 'grant':
        return bytes.fromhex(c['contributor']) + bytes([(1 if c['add'] else 0) | (2 if c['moderate'] else 0)])
    aimed = c['target'] is not None
    return bytes([1 if aimed else 0]) + (bytes.fromhex(c['target']) if aimed else b'') + text(c['text'])


def record(clock, time, c):
    body = bytes([1, KINDS.index(c['kind']) + 1]) + CHANNEL + KEY + u48(clock) + u48(time) + content(c)
    return body + sign(OWNER, b'tributary channel record 1\n' + body)


# --- bencode, trees, packs
def bencode(value):
    if isinstance(value, int):
        return b'i%de' % value
    if isinstance(value, bytes):
        return b'%d:' % len(value) + value
    return b'd' + b''.join(bencode(k) + bencode(value[k]) for k in sorted(value)) + b'e'


def tree(ids, prefix=''):
    """(count, hash) of the node for prefix; ids sorted."""
    mine = [i for i in ids if i.startswith(prefix)]
    if len(mine) <= 32:
        raw = bytes([0, len(mine)]) + b''.join(bytes.fromhex(i) for i in mine)
    else:
        below = [(d, tree(mine, prefix + '%x' % d)) for d in range(16)]
        below = [(d, node) for d, node in below if node[0] > 0]
        raw = bytes([1, len(below)]) + b''.join(struct.pack('>BI', d, n) + h for d, (n, h) in below)
    return len(mine), hashlib.sha256(raw).digest()


def head(sequence, ids, time, pack):
    value = {b'n': len(ids), b'r': tree(sorted(ids))[1], b't': time}
    if pack is not None:
        value[b'ih'] = bytes.fromhex(pack)
    raw = bencode(value)
    return raw, sign(OWNER, b'3:seqi%de1:v' % sequence + raw)


ID = 'cd' * 32
INFO = 'ab' * 20
CONTENTS = [
    {'kind': 'channel', 'name': 'Música', 'description': 'one\ntwo', 'mode': 'semi-open'},
    {
        'kind': 'torrent', 'infoHash': INFO, 'name': 'AC/DC: live', 'description': '', 'size': 2**40 + 1,
        'files': [{'path': 'disc 1/01.flac', 'size': 12}, {'path': 'ディスク/02.flac', 'size': 2**33}], 'fileCount': 3,
        'trackers': ['udp://tracker.example:6969/announce', 'https://other.example/announce'], 'category': 'audio',
    },
    {'kind': 'playlist', 'name': 'list', 'description': ''},
    {'kind': 'entry', 'playlist': ID, 'infoHash': INFO},
    {'kind': 'edit', 'target': ID, 'name': 'new', 'description': None},
    {'kind': 'edit', 'target': ID, 'name': None, 'description': 'other'},
    {'kind': 'edit', 'target': ID, 'name': 'both', 'description': ''},
    {'kind': 'deletion', 'targets': ['11' * 32, '22' * 32]},
    {'kind': 'grant', 'contributor': KEY.hex(), 'add': True, 'moderate': False},
    {'kind': 'grant', 'contributor': KEY.hex(), 'add': False, 'moderate': True},
    {'kind': 'comment', 'target': None, 'text': 'good'},
    {'kind': 'comment', 'target': ID, 'text': 'better'},
]


def main():
    records = []
    for at, c in enumerate(CONTENTS):
        raw = record(at + 1, 1800000000 + at, c)
        records.append({'clock': at + 1, 'timeS': 1800000000 + at, 'content': c, 'bytes': raw.hex(),
                        'id': hashlib.sha256(raw).hexdigest()})
    heads = []
    for sequence, count, pack in ((1, 0, None), (2, 5, None), (7, 1000, INFO)):
        ids = sorted(hashlib.sha256(b'%d' % n).hexdigest() for n in range(count))
        raw, signature = head(sequence, ids, 1800000000, pack)
        heads.append({'sequence': sequence, 'records': count, 'timeS': 1800000000, 'pack': pack,
                      'root': tree(ids)[1].hex(), 'value': raw.hex(), 'signature': signature.hex()})
    votes = []
    for value in (1, 0, -1):
        body = bytes([1]) + CHANNEL + KEY + bytes([value + 1]) + u48(1800000000)
        votes.append({'value': value, 'timeS': 1800000000,
                      'bytes': (body + sign(OWNER, b'tributary channel vote 1\n' + body)).hex()})
    trees = []
    for count in (0, 1, 32, 33, 500, 5000):
        ids = sorted(hashlib.sha256(b'%d' % n).hexdigest() for n in range(count))
        trees.append({'count': count, 'root': tree(ids)[1].hex()})
    made = {'seed': OWNER.hex(), 'publicKey': KEY.hex(), 'channel': CHANNEL.hex(), 'records': records, 'heads': heads,
            'votes': votes, 'trees': trees}
    with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), 'channels.json'), 'w') as out:
        json.dump(made, out, indent=1, ensure_ascii=False)
        out.write('\n')


main()
