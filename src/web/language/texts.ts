// The texts of the dashboard in the chosen language: sentences with parameters, plurals and numbers by Intl. English is
// a part of the code that shows it; other languages come before it (start-language.ts), and what they lack is English.

import i18next, { type PostProcessorModule } from 'i18next'
import { PSEUDO, pseudoText } from './pseudo-text.ts'

/** Texts of an area in English, by their keys; plurals have the endings of the form (`files_one`, `files_other`). */
export type Catalogue = Readonly<Record<string, string>>

/** The same keys in another language; of plurals that has the form `other`, and those that it needs besides. */
export type Translation<English extends Catalogue> = Catalogue & {
  readonly [Key in keyof English & string as Key extends `${string}_one` ? never : Key]: string
}

type PluralKey<English extends Catalogue> = keyof English extends infer Key
  ? Key extends `${infer Stem}_other`
    ? Stem
    : never
  : never

type PlainKey<English extends Catalogue> = Exclude<keyof English & string, `${string}_one` | `${string}_other`>

/** `{{name}}` and `{{size, number}}` in a text: `name` and `size`. */
type NamesIn<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? (Name extends `${infer Bare},${string}` ? Bare : Name) | NamesIn<Rest>
  : never

/** What goes into a text: numbers are written as the language writes them where the text says so. */
type Values<Names extends string> = [Names] extends [never] ? [] : [values: Readonly<Record<Names, string | number>>]

/** Texts of an area. */
export interface Texts<English extends Catalogue> {
  /** The text of a key. `values`: for each name in it. */
  <Key extends PlainKey<English>>(key: Key, ...values: Values<NamesIn<English[Key]>>): string
  /** The text of a key in the form for `count`. */
  <Key extends PluralKey<English>>(
    key: Key,
    values: Readonly<{ count: number } & Record<Exclude<NamesIn<English[`${Key}_other`]>, 'count'>, string | number>>,
  ): string
}

const pseudo: PostProcessorModule = { type: 'postProcessor', name: 'pseudo', process: pseudoText }

const i18n = i18next.createInstance()
void i18n.use(pseudo).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: {},
  // Nothing is loaded by it, so texts are there at once.
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  // What is shown is text, never markup.
  interpolation: { escapeValue: false },
  returnEmptyString: false,
})

/** Texts without parameters that were asked for, an entry for each area. */
const plainTexts: Map<string, string>[] = []

/** The texts of an area, in English: `area` names it in files of translators. */
export function textsOf<const English extends Catalogue>(area: string, english: English): Texts<English> {
  i18n.addResourceBundle('en', area, english)
  const plain = new Map<string, string>()
  plainTexts.push(plain)
  return (key: string, values?: Readonly<Record<string, unknown>>) => {
    if (values !== undefined) return i18n.t(key, { ...values, ns: area })
    // Rows of lists ask for the same ones again and again.
    const known = plain.get(key)
    if (known !== undefined) return known
    const text = i18n.t(key, { ns: area })
    plain.set(key, text)
    return text
  }
}

/** English of texts that the node says itself; others are shown by their codes where a language has them. */
export function addNodeTexts(area: string, english: Catalogue): void {
  i18n.addResourceBundle('en', area, english)
}

/**
 * What the language has for a code of the node; null: nothing, so that the node's own English is shown. In English it
 * is always that. `values`: parameters, by their names in the text; where one is missing the text is as good as none.
 */
export function textOfCode(
  area: string,
  code: string,
  values: Readonly<Record<string, string | number>> = {},
): string | null {
  const { language } = i18n
  if (language === 'en') return null
  const text: unknown = i18n.getResource(language === PSEUDO ? 'en' : language, area, code)
  if (typeof text !== 'string') return null
  const names = [...text.matchAll(/\{\{(\w+)/g)].map(([, name = '']) => name)
  return names.every(name => Object.hasOwn(values, name)) ? i18n.t(code, { ...values, ns: area }) : null
}

/** The English of a code of the node; null: it is not known here. */
export function englishOfCode(area: string, code: string): string | null {
  const text: unknown = i18n.getResource('en', area, code)
  return typeof text === 'string' ? text : null
}

/** The tag of the language that texts, numbers and dates are in: `en`, `de`. */
export function languageTag(): string {
  return i18n.language === PSEUDO ? 'en' : i18n.language
}

/** Which way it is written. */
export function direction(): 'ltr' | 'rtl' {
  // Of one that has no texts yet it says that of English.
  return i18n.dir(i18n.language)
}

/** From now on texts are in this language. `areas`: its texts, by area; what is not there is English. */
export async function setLanguage(tag: string, areas: Readonly<Record<string, Catalogue>>): Promise<void> {
  for (const [area, texts] of Object.entries(areas)) i18n.addResourceBundle(tag, area, texts)
  i18n.options.postProcess = tag === PSEUDO ? ['pseudo'] : []
  await i18n.changeLanguage(tag)
  for (const texts of plainTexts) texts.clear()
}
