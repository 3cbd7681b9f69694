// Histograms count and the text format says it so that a reader of it agrees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expositionText } from '../../../src/http/exposition.ts'
import { LatencyHistogram } from '../../../src/http/latency-histogram.ts'
import { RequestMeter } from '../../../src/http/request-meter.ts'
import { routeTable } from '../../kit/all-routes.ts'

test('a histogram holds each time in its bucket and in those above', () => {
  const times = new LatencyHistogram()
  for (const ms of [0, 0.25, 0.26, 999, 30_000, 30_001, 1e9]) times.observe(ms)
  const samples = times.samples({ route: 'x' })
  const at = (le: string) => samples.find(sample => sample.labels?.['le'] === le)?.value
  assert.deepEqual([at('0.00025'), at('0.0005'), at('0.5'), at('1'), at('30'), at('+Inf')], [2, 3, 3, 4, 5, 7])
  assert.deepEqual(samples.at(-1), { suffix: '_count', labels: { route: 'x' }, value: 7 })
  assert.equal(samples.at(-2)?.value, (0.51 + 999 + 60_001 + 1e9) / 1000)
  const counts = samples.filter(sample => sample.suffix === '_bucket').map(sample => sample.value)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  )
})

test('the text has one head a family, escapes labels, and leaves out what has no sample', () => {
  const text = expositionText([
    {
      name: 'a_total',
      help: 'A.',
      type: 'counter',
      samples: [{ value: 1 }, { labels: { b: 'x"\\\n', c: 'd' }, value: 0.5 }],
    },
    { name: 'none', help: 'None.', type: 'gauge', samples: [] },
    {
      name: 's',
      help: 'S.',
      type: 'summary',
      samples: [
        { suffix: '_sum', value: 2 },
        { suffix: '_count', value: 1e21 },
      ],
    },
  ])
  assert.equal(
    text,
    [
      '# HELP a_total A.',
      '# TYPE a_total counter',
      'a_total 1',
      'a_total{b="x\\"\\\\\\n",c="d"} 0.5',
      '# HELP s S.',
      '# TYPE s summary',
      's_sum 2',
      's_count 1e+21',
      '',
    ].join('\n'),
  )
})

test('requests are counted by route and status, streams by their first byte', () => {
  let now = 0
  const meter = new RequestMeter({ now: () => now })
  const [route] = routeTable
  assert.ok(route !== undefined)
  now = 3
  assert.equal(meter.answered(route, 200, 1), 2)
  meter.answered(route, 200, 3)
  meter.answered(null, 404, 3)
  meter.firstByte(40)
  const text = expositionText(meter.families())
  const has = (line: string) => assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`)
  has(`tributary_http_request_duration_seconds_bucket{route="${route.id}",le="0.001"} 1`)
  has(`tributary_http_request_duration_seconds_bucket{route="${route.id}",le="0.0025"} 2`)
  has(`tributary_http_request_duration_seconds_sum{route="${route.id}"} 0.002`)
  has('tributary_http_request_duration_seconds_count{route="none"} 1')
  has('tributary_http_responses_total{code="200"} 2')
  has('tributary_http_responses_total{code="404"} 1')
  has('tributary_stream_first_byte_seconds_bucket{le="0.025"} 0')
  has('tributary_stream_first_byte_seconds_bucket{le="0.05"} 1')
})
