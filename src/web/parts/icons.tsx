// Signs of the dashboard: strokes on a grid of 24, in the colour of the text beside them. They are never the only
// label.

const paths = {
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  chart: 'M4 4v16h16M8 15l3.5-4 3 2.5L20 7',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4',
  pulse: 'M3 12h4l2.5-6 4 12 2.5-6h5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  filter: 'M4 6h16M7 12h10M10 18h4',
  gear: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4',
  turtle: 'M4 15a7.5 7.5 0 0 1 14 0zM18 13h2a1.5 1.5 0 0 1 0 3h-3M7 15v2.5M15 15v2.5M11 8l-2 4 2 3M11 8l3 4-1 3',
  plus: 'M12 5v14M5 12h14',
  pen: 'M4 20h4L19 9l-4-4L4 16z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  recheck: 'M20 12a8 8 0 1 1-2.5-5.8M20 3v4.5h-4.5',
  trash: 'M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1.2-1.2',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 14h2M14 20h2M19 18v2M7 7h.01M17 7h.01M7 17h.01',
  save: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M5 20h14',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M15 5l-7 7 7 7',
  fold: 'M9 5l7 7-7 7',
  down: 'M12 5v14M6 13l6 6 6-6',
  up: 'M12 19V5M6 11l6-6 6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warn: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.5h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.2l3.2 2',
  film: 'M4 5h16v14H4zM9 5v14M15 5v14M4 9.7h5M4 14.3h5M15 9.7h5M15 14.3h5',
  circuit: 'M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 8v4a4 4 0 0 0 4 4h6',
  door: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  out: 'M13 5h6v6M19 5l-9 9M17 14v5H5V7h5',
} as const

/** A sign's name. */
export type IconName = keyof typeof paths

/** The strokes of a sign: of what the core has one too. */
export function strokesOf(name: IconName): string {
  return paths[name]
}

/** A sign of these strokes, a path; hidden from screen readers. */
export function Sign({ strokes, size = 18 }: { strokes: string; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={strokes} />
    </svg>
  )
}

/** One of the signs above. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return <Sign strokes={paths[name]} size={size} />
}
