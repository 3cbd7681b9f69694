// Words by which the family filter knows names of adult content. Pure and deliberately coarse: whole words only, so
// that
// `Essex`, `Middlesex` and `analysis` stay, and words with a decent meaning of their own count only together.

/** Longest text that is looked at, characters: names in channels are shorter (decisions part 3). */
const MAX_TEXT = 1024

/** One of these is enough. */
const PLAIN: ReadonlySet<string> = new Set(
  `porn porno porns pornos pornstar pornstars pornographic milf milfs gangbang gangbangs creampie creampies blowjob
  blowjobs handjob handjobs footjob cumshot cumshots deepthroat bukkake hentai futanari rimjob fisting camgirl camgirls
  camwhore upskirt threesome foursome gloryhole cuckold bdsm femdom facesitting jav ecchi doujin squirting bigtits
  bigcock pussy pussies cunnilingus fellatio shemale shemales tgirl tgirls sexvideo sextape striptease xhamster xvideos
  xnxx redtube youporn rule34 fucking fucked blacked tushy sexart metart hegre порно порнуха порево эротика трах
  pornografia pornofilm pornofilme masturbation masturbating dildo dildos orgy orgies slut sluts whore whores nsfw`.split(
    /\s+/,
  ),
)

/** What names of publishers begin with; more may follow in the same word. */
const BEGINNINGS: readonly string[] = [
  'brazzers',
  'bangbros',
  'pornhub',
  'onlyfans',
  'naughtyamerica',
  'realitykings',
  'evilangel',
  'digitalplayground',
  'legalporno',
  'teamskeet',
]

/** Two different ones of these are enough: each alone may be in a decent name. */
const TOGETHER: ReadonlySet<string> = new Set(
  `xxx sex sexy sexual anal oral adult adults nude nudes naked lesbian lesbians teen teens busty tits boobs ass cock dick
  cum fuck bang erotic erotica erotik fetish bondage hardcore softcore uncensored amateur interracial swinger swingers
  webcam stripper playboy penthouse virgin nympho horny lingerie kinky 18 секс голая`.split(/\s+/),
)

function countsPlainly(word: string, index: number): boolean {
  // `xxx` ends or divides names of adult releases; a name that begins with it may be the film of 2002.
  if (word === 'xxx') return index > 0
  return PLAIN.has(word) || BEGINNINGS.some(beginning => word.startsWith(beginning))
}

/** True when a name or title (of a channel, a torrent, a file, a feed's item) speaks of adult content. */
export function speaksOfAdultContent(text: string): boolean {
  const words =
    text
      .slice(0, MAX_TEXT)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.some(countsPlainly)) return true
  return new Set(words.filter(word => TOGETHER.has(word))).size >= 2
}
