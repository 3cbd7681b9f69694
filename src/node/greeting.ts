// What a person sees on standard output: where the node listens, where the key lies, a line to paste.

/** Facts of a start. */
export interface GreetingFacts {
  readonly version: string
  /** Of plain HTTP, HTTPS or both. */
  readonly baseUrls: readonly string[]
  /** The configuration file. */
  readonly configPath: string
  /** True at the first start: tells where the key lies. */
  readonly showKey: boolean
}

/** Lines for standard output; the key itself is never among them. */
export function greeting(facts: GreetingFacts): string {
  const [baseUrl = '', ...more] = facts.baseUrls
  const lines = [`Tributary ${facts.version} listens at ${baseUrl}`, ...more.map(url => `and at ${url}`)]
  if (facts.showKey) {
    lines.push(
      `The API key lies in ${facts.configPath} (section api, option key).`,
      'Try it with this line, which reads the key from the file and keeps it out of the process list:',
      `  ${curlLine(facts.configPath, `${baseUrl}/downloads`)}`,
      `API browser: ${baseUrl}/docs`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** A line for any POSIX shell: the header goes to curl through a pipe, not through its arguments. */
function curlLine(configPath: string, url: string): string {
  return `sed -n 's/^ *key: *"\\{0,1\\}\\([^" ]*\\).*/X-Api-Key: \\1/p' ${shellQuote(configPath)} | curl -s -H @- ${url}`
}

function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
