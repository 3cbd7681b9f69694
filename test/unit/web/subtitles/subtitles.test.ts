// SubRip, WebVTT and ASS as they come, and as enemies write them: texts and times, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_AT_ONCE, MAX_CUES, webVttOf } from '../../../../src/wire/subtitles/cue.ts'
import { cuesOf, SUBTITLE_NAME } from '../../../../src/web/model/subtitles/subtitles.ts'

const told = (text: string): unknown[] => cuesOf(text).map(({ startMs, endMs, text: said }) => [startMs, endMs, said])

test('SubRip: numbers, tags, places, other ends of lines, times without hours', () => {
  const text = [
    '1',
    '00:00:01,000 --> 00:00:02,500 X1:40 X2:600',
    '<i>Hello</i> <font color="#ff0000">there</font>',
    '{\\an8}{y:i}- Yes, 1 < 2 & 3 > 2',
    '',
    '2',
    '01:41.5 --> 01:42,75',
    '2012',
    '',
    '3',
    '1:02:03.004 --> 1:02:04:005',
    'First',
    '',
    'after a blank line',
    '',
    '4',
    '00:00:05,000 --> 00:00:05,000',
    'shown for no time',
  ]
  const expected = [
    [1000, 2500, 'Hello there\n- Yes, 1 < 2 & 3 > 2'],
    [101_500, 102_750, '2012'],
    [3_723_004, 3_724_005, 'First\nafter a blank line'],
  ]
  for (const end of ['\n', '\r\n', '\r']) assert.deepEqual(told(text.join(end)), expected, JSON.stringify(end))
})

test('WebVTT: notes, styles, names, entities, settings', () => {
  const text = `WEBVTT - a film

NOTE
00:00:00.000 is not a time

STYLE
::cue { background: url(http://evil/) }

first
00:01.000 --> 00:02.000 align:start position:10%
<v Mary>Hello &amp; <b.loud>good</b> <00:01.500>day&nbsp;&lt;here&gt;

00:03.000 --> 00:04.000
two
lines
`
  assert.deepEqual(told(text), [
    [1000, 2000, 'Hello & good day <here>'],
    [3000, 4000, 'two\nlines'],
  ])
})

test('ASS and SSA: fields in their own order, commas, lines, layers once, drawings left out', () => {
  const ass = `[Script Info]
Title: x

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,a note
Dialogue: 0,0:00:05.50,0:00:06.00,Default,,0,0,0,,{\\i1}Second{\\i0},\\Nwith \\h commas, yes
Dialogue: 1,0:00:01.25,0:00:02.00,Default,,0,0,0,,First
Dialogue: 0,0:00:01.25,0:00:02.00,Outline,,0,0,0,,First
Dialogue: 0,0:00:01.25,0:00:02.00,Sign,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100{\\p0}
`
  assert.deepEqual(told(ass), [
    [1250, 2000, 'First'],
    [5500, 6000, 'Second,\nwith   commas, yes'],
  ])
  const ssa = `[Script Info]\n[Events]\nFormat: Marked, Start, End, Style, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,x,Hi, you\n`
  assert.deepEqual(told(ssa), [[1000, 2000, 'Hi, you']])
})

test('only text reaches the page', () => {
  const nasty =
    '1\n00:00:01,000 --> 00:00:02,000\n<script>alert(1)</script><img src=x onerror=alert(1)> a\u0000b\u202ec &lt;b&gt; <\n'
  const vtt = webVttOf(cuesOf(nasty), 0)
  assert.equal(vtt, 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nalert(1) abc &amp;lt;b&amp;gt; &lt;\n')
  const arrow = webVttOf([{ startMs: 0, endMs: 1000, text: '00:00:01.000 --> 00:00:09.000' }], 0)
  assert.equal(arrow.match(/-->/g)?.length, 1, 'a text is no line of times')
})

test('later and earlier', () => {
  const cues = cuesOf('1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:05,000 --> 01:00:00,000\nb\n')
  assert.equal(webVttOf(cues, 500), 'WEBVTT\n\n00:00:01.500 --> 00:00:02.500\na\n\n00:00:05.500 --> 00:10:05.500\nb\n')
  assert.equal(
    webVttOf(cues, -1500),
    'WEBVTT\n\n00:00:00.000 --> 00:00:00.500\na\n\n00:00:03.500 --> 00:10:03.500\nb\n',
  )
  assert.equal(webVttOf(cues, -2000).includes('\na\n'), false)
})

test('what is none, or is made to be slow, ends soon and has bounds', () => {
  const slow = [
    '',
    'no times at all',
    '-->'.repeat(500_000),
    `1\n00:00:01,000 --> 00:00:02,000\n${'<'.repeat(1_000_000)}`,
    `1\n00:00:01,000 --> 00:00:02,000\n${'{\\'.repeat(500_000)}`,
    `[Script Info]\nDialogue: ${'{'.repeat(1_000_000)}`,
    `[Script Info]\nDialogue: ${','.repeat(1_000_000)}`,
    '\n'.repeat(4_000_000),
    '00:00:01,000 --> 00:00:02,000 '.repeat(100_000),
  ]
  const before = performance.now()
  for (const text of slow) assert.ok(cuesOf(text).length <= 1)
  const second = (at: number) => new Date(at * 1000).toISOString().slice(11, 19)
  const one = (_: unknown, at: number) => `${second(at)},000 --> ${second(at)},900\nx`
  assert.equal(cuesOf(Array.from({ length: 50_000 }, one).join('\n')).length, MAX_CUES)
  assert.ok(performance.now() - before < 10_000)
  assert.ok((cuesOf(`00:00:01,000 --> 00:00:02,000\n${'x'.repeat(1_000_000)}`)[0]?.text.length ?? 0) <= 1000)
})

test('a browser lays out no more than some cues at once; those before and after stay', () => {
  const at = (from: number, to: number) => `00:00:0${from},000 --> 00:00:0${to},000\nx\n`
  const cues = cuesOf(at(8, 9) + at(2, 4).repeat(20_000 - 200) + at(3, 5).repeat(100) + at(0, 2) + at(4, 6))
  const count = (startMs: number) => cues.filter(cue => cue.startMs === startMs).length
  assert.deepEqual([0, 2000, 3000, 4000, 8000].map(count), [1, MAX_AT_ONCE, 0, 1, 1])
  assert.deepEqual(
    cues.map(({ startMs }) => startMs),
    cues.map(({ startMs }) => startMs).toSorted((a, b) => a - b),
  )
})

test('a format of thousands of fields is read once, and no further than any has', () => {
  const cpuMs = (format: string): number => {
    const text = `[Script Info]\n[Events]\nFormat: ${format}\n${'Dialogue:\n'.repeat(390_000)}`
    const before = process.cpuUsage()
    assert.equal(cuesOf(text).length, 0)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const short = cpuMs('Start, Text, End')
  assert.ok(cpuMs(`Start, ${'a,'.repeat(3900)} Text, End`) < 3 * short + 100)
  const far = (fields: number) =>
    cuesOf(
      `[Script Info]\nFormat: Start, End, ${'a,'.repeat(fields)}Text\nDialogue: 0:00:01.00,0:00:02.00,${','.repeat(fields)}x\n`,
    )
  assert.deepEqual([far(20).length, far(40).length], [1, 0])
})

test('names', () => {
  for (const name of ['a.srt', 'a.VTT', 'b/c.ass', 'd.ssa']) assert.ok(SUBTITLE_NAME.test(name))
  for (const name of ['a.srt.exe', 'srt', 'a.sub']) assert.ok(!SUBTITLE_NAME.test(name))
})
