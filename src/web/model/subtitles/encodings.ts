// Texts of subtitles in other encodings than UTF-8: by their first bytes, by the language in their name, else by the
// letters that would come out. Pure; the decoding itself is the browser's.

/** A language. */
interface Language {
  /** In names of files. */
  readonly tags: string
  readonly encoding: string
  /** Its letters beyond ASCII, or the commonest of them. */
  readonly letters: RegExp
  /** It is written in other letters than Latin ones: few of ASCII stand among them. */
  readonly script?: true
  /** For the letters that are not looked for: most texts then come to 1. */
  readonly weight?: number
}

const LANGUAGES: readonly Language[] = [
  { tags: 'fr fre fra french', encoding: 'windows-1252', letters: /[éèàçùêôîïâûœÉÀÇÊ]/gu },
  { tags: 'de ger deu german', encoding: 'windows-1252', letters: /[äöüßÄÖÜ]/gu },
  {
    tags: 'es spa spanish pt por pob portuguese it ita italian',
    encoding: 'windows-1252',
    letters: /[áéíóúñü¿¡ãõâêôçàèìòù]/gu,
  },
  { tags: 'sv swe da dan no nor fi fin nl dut nld is isl', encoding: 'windows-1252', letters: /[åäöæøÅÄÖÆØëïé]/gu },
  { tags: 'pl pol polish', encoding: 'windows-1250', letters: /[ąćęłńóśźżŁŚŻĆ]/gu },
  { tags: 'cs cze ces czech sk slo slk slovak', encoding: 'windows-1250', letters: /[áčďéěíňóřšťúůýžľĺŕôäČŠŘŽÚ]/gu },
  { tags: 'hu hun hungarian', encoding: 'windows-1250', letters: /[áéíóöőúüűÁÉÖÜ]/gu },
  { tags: 'ro rum ron hr hrv sl slv sr srp scc bs bos', encoding: 'windows-1250', letters: /[ăâîşţșțčćđšžČŠŽĐ]/gu },
  {
    tags: 'ru rus russian uk ukr bg bul be mk mac',
    encoding: 'windows-1251',
    letters: /[оеаинтсрвлі]/gu,
    script: true,
    weight: 1.5,
  },
  { tags: '', encoding: 'koi8-r', letters: /[оеаинтсрвл]/gu, script: true, weight: 1.5 },
  { tags: 'el gre ell greek', encoding: 'windows-1253', letters: /[αοιετσνηρπκςάέίό]/gu, script: true, weight: 1.2 },
  { tags: 'tr tur turkish', encoding: 'windows-1254', letters: /[çğıöşüâîÇĞİÖŞÜ]/gu },
  { tags: 'he heb hebrew iw', encoding: 'windows-1255', letters: /[יוהלארתבשמנם]/gu, script: true, weight: 1.2 },
  {
    tags: 'ar ara arabic fa per fas',
    encoding: 'windows-1256',
    letters: /[\u0621-\u064a\u067e\u0686\u0698\u06a9\u06af\u06cc]/gu,
    script: true,
  },
  { tags: 'lt lit lv lav et est', encoding: 'windows-1257', letters: /[ąčęėįšųūžāēģīķļņõäöüČŠŽ]/gu },
  {
    tags: 'vi vie vietnamese',
    encoding: 'windows-1258',
    letters: /[ăâđêôơưĂÂĐÊÔƠƯàáãèéìíòóõùúý]|\p{Mn}/gu,
  },
  { tags: 'ja jpn japanese', encoding: 'shift_jis', letters: /[\u3041-\u30ff]/gu, script: true, weight: 1.6 },
  { tags: 'ko kor korean', encoding: 'euc-kr', letters: /[\uac00-\ud7a3]/gu, script: true },
  {
    tags: 'zh chi zho chs chinese',
    encoding: 'gb18030',
    letters: /[的一是不了我你在他有这们来个]/gu,
    script: true,
    weight: 5,
  },
  { tags: 'cht tw', encoding: 'big5', letters: /[的一是不了我你在他有這們來個]/gu, script: true, weight: 5 },
]

/** Marks that stand in all of them at the same places, or say nothing. */
const COMMON = /[\p{ASCII}\u00a0\u2018-\u201f\u2026\u2013\u2014\u266a\u00ab\u00bb\ufeff]/gu
const SAMPLE_BYTES = 48 * 1024

/** A text out of bytes, with the encoding it was read in. */
export interface DecodedText {
  readonly text: string
  readonly encoding: string
}

/** `chosen`: as browsers name it (encoding-names.ts); null: by what is found. `name`: of the file. */
export function decodedText(bytes: Uint8Array, name: string, chosen: string | null): DecodedText {
  const encoding = chosen ?? encodingOf(bytes, name)
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

/** The encoding that bytes are most likely in. */
export function encodingOf(bytes: Uint8Array, name: string): string {
  const byMark = markOf(bytes) ?? wideOf(bytes)
  if (byMark !== null) return byMark
  if (isUtf8(bytes)) return 'utf-8'
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const tag = tagOf(name)
  const named = LANGUAGES.find(({ tags }) => tag !== '' && tags.split(' ').includes(tag))
  if (named !== undefined && scoreOf(named, sample) > 0.3) return named.encoding
  let best = { encoding: 'windows-1252', score: 0.2 }
  for (const language of LANGUAGES) {
    const score = scoreOf(language, sample)
    if (score > best.score) best = { encoding: language.encoding, score }
  }
  return best.encoding
}

function markOf([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : null
}

/** UTF-16 without a mark: every second byte of digits, blanks and ends of lines is 0. */
function wideOf(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 2000)
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) < sample.length / 8) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** `film.ru.srt`, `film.pol.forced.srt`, `Russian.srt`: the language. */
function tagOf(name: string): string {
  const parts = name
    .slice(name.lastIndexOf('/') + 1)
    .slice(-100)
    .toLowerCase()
    .split(/[. _()[\]-]+/)
    .slice(0, -1)
  return parts.filter(part => !/^(forced|sdh|cc|hi|full|subs?)$/.test(part)).at(-1) ?? ''
}

/** The part of what is not ASCII that would be letters of the language. */
function scoreOf({ encoding, letters, script, weight = 1 }: Language, sample: Uint8Array): number {
  const text = new TextDecoder(encoding).decode(sample).replace(/<[^<>]{0,80}>/g, ' ')
  const beyond = text.replace(COMMON, '').length
  if (beyond === 0) return 0
  const latin = script === true ? (text.match(/[a-z]/gi)?.length ?? 0) : 0
  return ((text.match(letters)?.length ?? 0) * weight) / (beyond + latin)
}
