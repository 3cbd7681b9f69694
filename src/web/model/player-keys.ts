// Keys of the player. Pure.

/** What a key asks for. `seek`: seconds; `part`: of the film, 0 to 0.9; `volume`: of 1; `speed`: steps. */
export type PlayerAction =
  | { readonly does: 'toggle' | 'fullscreen' | 'mute' | 'subtitles' | 'next' | 'previous' | 'float' }
  | { readonly does: 'seek' | 'part' | 'volume' | 'speed'; readonly by: number }

const ACTIONS: Readonly<Record<string, PlayerAction>> = {
  ' ': { does: 'toggle' },
  k: { does: 'toggle' },
  j: { does: 'seek', by: -10 },
  l: { does: 'seek', by: 10 },
  ArrowLeft: { does: 'seek', by: -5 },
  ArrowRight: { does: 'seek', by: 5 },
  ArrowUp: { does: 'volume', by: 0.05 },
  ArrowDown: { does: 'volume', by: -0.05 },
  f: { does: 'fullscreen' },
  m: { does: 'mute' },
  c: { does: 'subtitles' },
  i: { does: 'float' },
  n: { does: 'next' },
  p: { does: 'previous' },
  '<': { does: 'speed', by: -1 },
  '>': { does: 'speed', by: 1 },
}

/** What a key asks for; null: nothing. `key` as browsers name it. */
export function actionOf(key: string): PlayerAction | null {
  if (/^[0-9]$/.test(key)) return { does: 'part', by: Number(key) / 10 }
  const name = key.length === 1 ? key.toLowerCase() : key
  return Object.hasOwn(ACTIONS, name) ? (ACTIONS[name] ?? null) : null
}

/** Whether a key that is held down goes on: what turns something round, or goes to another film, does so once. */
export function repeats({ does }: PlayerAction): boolean {
  return does === 'seek' || does === 'volume' || does === 'speed'
}

/** Speeds that are offered. */
export const speeds: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

/** The speed so many steps from another. */
export function speedFrom(speed: number, steps: number): number {
  const at = speeds.findIndex(each => each >= speed)
  return speeds[Math.min(speeds.length - 1, Math.max(0, (at === -1 ? speeds.length - 1 : at) + steps))] ?? 1
}
