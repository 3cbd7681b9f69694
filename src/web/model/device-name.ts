// What a device is called among the keys of the node, by how its browser describes itself. Pure.

type Sign = readonly [pattern: RegExp, name: string]

/** Browsers name those that they are made like: the special ones first. */
const BROWSERS: readonly Sign[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'edge'],
  [/\bOPR\//, 'opera'],
  [/\b(?:Firefox|FxiOS)\//, 'firefox'],
  [/(?:Chrome|CriOS)\//, 'chrome'],
  [/\bSafari\//, 'safari'],
]

const SYSTEMS: readonly Sign[] = [
  [/\biPhone\b/, 'iphone'],
  [/\biPad\b/, 'ipad'],
  [/\bAndroid\b/, 'android'],
  [/\bWindows\b/, 'windows'],
  [/\bMac(?:intosh| OS X)\b/, 'mac'],
  [/\bCrOS\b/, 'chromebook'],
  [/\bLinux\b/, 'linux'],
]

const nameIn = (signs: readonly Sign[], userAgent: string) => signs.find(([pattern]) => pattern.test(userAgent))?.[1]

/** A name such as `firefox-linux`, of letters and hyphens. */
export function deviceName(userAgent: string): string {
  return `${nameIn(BROWSERS, userAgent) ?? 'browser'}-${nameIn(SYSTEMS, userAgent) ?? 'device'}`
}
