// Figures of films in segments for Prometheus. Read at a scrape, and only when a film was asked for.

import { counter, gauge } from '../../../services/diagnostics/metric-families.ts'
import type { MetricFamily } from '../../../services/diagnostics/metrics-api.ts'
import type { SegmentLine } from './segment-line.ts'
import type { SegmentPlaces } from './segment-places.ts'

/** Segments under way, by what they wait for, and all since the start. */
export function segmentFamilies(
  { taken, begun, refused }: Pick<SegmentPlaces, 'taken' | 'begun' | 'refused'>,
  { making, length, left }: Pick<SegmentLine, 'making' | 'length' | 'left'>,
): readonly MetricFamily[] {
  return [
    gauge('tributary_film_segments', 'Segments of films under way: being made, in line for that, waiting for bytes.', [
      { labels: { state: 'making' }, value: making },
      { labels: { state: 'line' }, value: length },
      { labels: { state: 'waiting' }, value: Math.max(0, taken - making - length) },
    ]),
    counter('tributary_film_segments_total', 'Segments of films that were begun.', [{ value: begun }]),
    counter('tributary_film_segments_refused_total', 'Segments of films for which there was no place.', [
      { value: refused },
    ]),
    counter('tributary_film_segments_left_total', 'Segments of films whose client went while they were being made.', [
      { value: left.count },
    ]),
    counter(
      'tributary_film_segments_left_seconds_total',
      'From when those clients had gone to when what made their segments was free.',
      [{ value: left.ms / 1000 }],
    ),
  ]
}
