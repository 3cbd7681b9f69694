// Where films are cut, which sound they have, and what playlists say of it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { masterPlaylist, segmentPlaylist, textPlaylist } from '../../../../../src/chapters/hls/core/playlists.ts'
import { orderOf, planOf } from '../../../../../src/chapters/hls/core/segment-plan.ts'
import { textSegment } from '../../../../../src/chapters/hls/core/text-segments.ts'
import { DecodeError } from '../../../../../src/base/errors.ts'
import type { FilmTrack } from '../../../../../src/chapters/media/core/film-facts.ts'
import { madeFacts, madeTexts } from '../../kit/made-facts.ts'

const SIZE = 1_000_000

describe('where a film is cut', () => {
  test('at key frames that are four seconds apart, with the place of each and of the key frame before it', () => {
    const { cuts } = planOf(madeFacts(), SIZE, null)
    assert.deepEqual(cuts, [
      { start: 0, end: 5, duration: 5, startByte: 900, endByte: 400_000, backByte: 900 },
      { start: 5, end: 10, duration: 5, startByte: 400_000, endByte: 700_000, backByte: 200_000 },
      { start: 10, end: Number.POSITIVE_INFINITY, duration: 4.5, startByte: 700_000, endByte: SIZE, backByte: 600_000 },
    ])
  })

  test('a film that begins late, key frames whose places fall, and one alone', () => {
    const late = madeFacts({ keys: { track: 1, times: [0.026, 9], bytes: [900, 500], gap: 0 } })
    const [first, second] = planOf(late, SIZE, null).cuts
    assert.deepEqual([first?.start, first?.duration, first?.startByte, first?.endByte], [0.026, 8.974, 900, 900])
    assert.deepEqual([second?.backByte, second?.endByte], [500, SIZE])
    const alone = madeFacts({ keys: { track: 1, times: [0], bytes: [900], gap: 0 } })
    assert.deepEqual(
      planOf(alone, SIZE, null).cuts.map(({ duration, end }) => [duration, end]),
      [[14.5, Number.POSITIVE_INFINITY]],
    )
  })

  test('the longest of films has 8,192 parts at most', () => {
    const times = Array.from({ length: 16_384 }, (_, at) => at * 4)
    const keys = { track: 1, times, bytes: times.map(time => time * 10), gap: 0 }
    const { cuts } = planOf(madeFacts({ keys, duration: 65_536 }), SIZE, null)
    assert.deepEqual([cuts.length, cuts[1]?.start, cuts[1]?.backByte], [8192, 8, 40])
  })

  test('the sound that is asked for, else the default one that can be copied, or none', () => {
    const [video, sound, other] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined && other !== undefined)
    assert.equal(planOf(madeFacts(), SIZE, null).sound?.id, 2)
    assert.equal(planOf(madeFacts(), SIZE, 2).sound?.id, 2)
    assert.equal(planOf(madeFacts(), SIZE, 0).sound, null)
    assert.equal(planOf(madeFacts({ tracks: [video] }), SIZE, null).sound, null)
    const two = [video, { ...sound, isDefault: false }, { ...sound, id: 7, isDefault: true }]
    assert.equal(planOf(madeFacts({ tracks: two }), SIZE, null).sound?.id, 7)
    const dts = { ...other, codec: 'dts' }
    assert.throws(
      () => planOf(madeFacts({ tracks: [video, dts] }), SIZE, null),
      /its sound is dts, which is neither copied/,
    )
    assert.throws(() => planOf(madeFacts({ tracks: [video, sound, dts] }), SIZE, 3), /its sound is dts/)
    assert.throws(() => planOf(madeFacts(), SIZE, 9), /no sound of number 9/)
    assert.equal(planOf(madeFacts({ tracks: [video, dts, sound] }), SIZE, null).sound?.id, 2)
  })

  test('AC-3 and E-AC-3 become AAC; HEVC is packed in fragments, behind a head', () => {
    const [video, sound, other] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined && other !== undefined)
    const converted = planOf(madeFacts({ tracks: [video, other] }), SIZE, null)
    assert.deepEqual([converted.sound?.id, converted.isConverted, converted.packing], [3, true, 'ts'])
    assert.equal(orderOf(converted, '1.ts')?.soundMargin, 0.12)
    assert.equal(planOf(madeFacts(), SIZE, null).isConverted, false)
    const hevc = { ...video, codec: 'hevc', codecString: 'hev1.1.6.L93.B0' }
    const plan = planOf(madeFacts({ tracks: [hevc, sound] }), SIZE, null)
    assert.equal(plan.packing, 'fmp4')
    assert.deepEqual(
      [orderOf(plan, 'init.mp4')?.isHead, orderOf(plan, '2.m4s')?.number, orderOf(plan, '2.ts')],
      [true, 2, null],
    )
    assert.match(
      segmentPlaylist(plan, 'q'),
      /VERSION:7[^]*\n#EXT-X-MAP:URI="segments\/init\.mp4\?q"\n#EXTINF:4\.99900,\nsegments\/0\.m4s\?q\n/,
    )
    assert.match(masterPlaylist(plan, 'q'), /CODECS="hvc1\.1\.6\.L93\.B0,mp4a\.40\.2"/)
  })

  test('FLAC and Opus are copied into fragments where there is no other sound, or when they are asked for', () => {
    const [video, sound, other] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined && other !== undefined)
    for (const codec of ['flac', 'opus']) {
      const lossless: FilmTrack = { ...sound, id: 8, codec }
      const alone = planOf(madeFacts({ tracks: [video, lossless] }), SIZE, null)
      assert.deepEqual([alone.sound?.id, alone.packing, alone.isConverted], [8, 'fmp4', false])
      const beside = planOf(madeFacts({ tracks: [video, lossless, other] }), SIZE, null)
      assert.deepEqual([beside.sound?.id, beside.packing], [3, 'ts'])
      assert.equal(planOf(madeFacts({ tracks: [video, lossless, other] }), SIZE, 8).packing, 'fmp4')
    }
  })

  test('what cannot be cut says why', () => {
    const [video, sound] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined)
    for (const [facts, why] of [
      [{ container: 'mpegts' }, /films in mpegts/],
      [{ keys: null }, /no index/],
      [{ duration: null }, /no index/],
      [{ tracks: [sound] }, /no picture/],
      [{ keys: { track: 2, times: [0], bytes: [0], gap: 0 } }, /no picture/],
      [{ tracks: [{ ...video, codec: 'av1' }, sound] }, /its picture is av1/],
      [{ tracks: [{ ...video, codec: 'mpeg4' }, sound] }, /its picture is mpeg4/],
    ] as const) {
      const cut = (): unknown => planOf(madeFacts(facts), SIZE, null)
      assert.throws(cut, error => error instanceof DecodeError && why.test(error.message), String(why))
    }
  })
})

describe('playlists', () => {
  test('the one of variants says what the film is, and carries the query on', () => {
    const text = masterPlaylist(planOf(madeFacts(), SIZE, null), 'token=abc')
    const lines = text.split('\n')
    assert.deepEqual([lines[0], lines.at(-2), lines.at(-1)], ['#EXTM3U', 'index.m3u8?token=abc', ''])
    assert.match(text, /RESOLUTION=320x180,CODECS="avc1\.640028,mp4a\.40\.2"/)
    // The longest takes 399,100 bytes in 5 s, all together 999,100 in 14.5 s; a tenth more for packing.
    assert.match(text, /#EXT-X-STREAM-INF:BANDWIDTH=702416,AVERAGE-BANDWIDTH=606350,/)
  })

  test('what is not known of a film is left out', () => {
    const tracks = madeFacts().tracks.map(track => ({ ...track, codecString: null, width: 0 }))
    const text = masterPlaylist(planOf(madeFacts({ tracks }), SIZE, null), 'token=abc')
    assert.match(text, /#EXT-X-STREAM-INF:BANDWIDTH=\d+,AVERAGE-BANDWIDTH=\d+\n/)
    const [video, sound] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined)
    const mp3 = { ...sound, codec: 'mp3', codecString: 'mp3' }
    const named = masterPlaylist(planOf(madeFacts({ tracks: [video, mp3] }), SIZE, null), '')
    assert.match(named, /CODECS="avc1\.640028,mp4a\.40\.34"/)
  })

  test('the same for whoever asks, but for what opens it', () => {
    const plan = planOf(madeFacts(), SIZE, null)
    const [one, other] = [segmentPlaylist(plan, 'token=abc'), segmentPlaylist(plan, 'token=$&')]
    assert.equal(
      one.replaceAll('token=abc', () => 'token=$&'),
      other,
    )
    assert.equal(other.split('token=$&').length, 4)
  })

  test('tracks of texts are renditions: each name once, nothing in it ends it; pictures are none, fragments no matter', () => {
    const [video, sound] = madeFacts().tracks
    assert.ok(video !== undefined && sound !== undefined)
    const others = [
      { ...madeTexts, id: 5, codec: 'ass', language: 'x"y', isForced: false },
      { ...madeTexts, id: 6, codec: 'pgs' },
      { ...madeTexts, id: 7, name: '', language: 'fra', isForced: false },
    ]
    const tracks = [video, sound, madeTexts, ...others]
    const plan = planOf(madeFacts({ tracks }), SIZE, null)
    const media = '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="texts",NAME='
    const lines = masterPlaylist(plan, 'token=abc').split('\n')
    assert.deepEqual(
      lines.filter(line => line.startsWith('#EXT-X-MEDIA')),
      [
        `${media}"Signs  n  songs",LANGUAGE="eng",DEFAULT=NO,AUTOSELECT=YES,FORCED=YES,URI="subtitles/4/index.m3u8?token=abc"`,
        `${media}"Signs  n  songs (5)",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="subtitles/5/index.m3u8?token=abc"`,
        `${media}"fra",LANGUAGE="fra",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="subtitles/7/index.m3u8?token=abc"`,
      ],
    )
    assert.match(lines.join('\n'), /CODECS="[^"]+",SUBTITLES="texts"\nindex\.m3u8/)
    assert.match(
      textPlaylist(plan, 'q'),
      /PLAYLIST-TYPE:VOD\n#EXTINF:4\.99900,\nsegments\/0\.vtt\?q\n[^]*\n#EXT-X-ENDLIST\n$/,
    )
    assert.equal((textPlaylist(plan, 'q').match(/\.vtt/g) ?? []).length, plan.cuts.length)
    assert.equal(planOf(madeFacts({ tracks, container: 'mp4', fragmented: true }), SIZE, null).texts.length, 3)
  })

  test('a text that begins exactly at a cut is in one segment, whatever the floats make of its time', () => {
    const odd = Array.from({ length: 20_000 }, (_, at) => at + 1).filter(ms => (ms / 1000) * 1000 > ms)
    assert.ok(odd.length > 10)
    const times = [...odd.map(ms => ({ ms, sec: ms / 1000 })), { ms: 1001, sec: 1.001_333_3 }]
    for (const { ms, sec } of times) {
      const cues = [{ startMs: ms, endMs: ms + 500, text: 'Hello' }]
      const there = [textSegment(cues, { start: 0, end: sec }), textSegment(cues, { start: sec, end: 99 })]
      assert.deepEqual(
        there.map(bytes => Buffer.from(bytes).toString().includes('Hello')),
        [false, true],
        String(ms),
      )
    }
  })

  test('a segment of texts has those that are shown in it, with their whole times, on the clock of the pictures', () => {
    const cue = (startMs: number) => ({ startMs, endMs: startMs + 3000, text: `<at ${startMs}>` })
    const bytes = textSegment([2000, 2001, 5000, 9999, 10_000].map(cue), { start: 5, end: 10 })
    assert.equal(
      Buffer.from(bytes).toString(),
      'WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:1800000\n\n' +
        '00:00:02.001 --> 00:00:05.001\n&lt;at 2001&gt;\n\n' +
        '00:00:05.000 --> 00:00:08.000\n&lt;at 5000&gt;\n\n00:00:09.999 --> 00:00:12.999\n&lt;at 9999&gt;\n',
    )
    assert.equal(
      Buffer.from(textSegment([], { start: 5, end: 10 })).toString(),
      'WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:1800000\n',
    )
  })

  test('the one of segments has all of them, none longer than it says', () => {
    const text = segmentPlaylist(planOf(madeFacts({ duration: 18.2 }), SIZE, null), 'token=abc&sound=2')
    assert.equal(
      text,
      '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:9\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n' +
        '#EXT-X-INDEPENDENT-SEGMENTS\n#EXTINF:4.99900,\nsegments/0.ts?token=abc&sound=2\n' +
        '#EXTINF:5.00000,\nsegments/1.ts?token=abc&sound=2\n#EXTINF:8.20000,\nsegments/2.ts?token=abc&sound=2\n#EXT-X-ENDLIST\n',
    )
  })
})
