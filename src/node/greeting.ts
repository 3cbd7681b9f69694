// What a person sees on standard output: where the node listens, how the dashboard is opened, where the key lies.

/** Facts of a start. */
export interface GreetingFacts {
  readonly version: string
  /** Of plain HTTP, HTTPS or both. */
  readonly baseUrls: readonly string[]
  /** The link that signs a browser in, once; null where standard output is no terminal: what is kept has no link. */
  readonly loginUrl: string | null
  /** The configuration file. */
  readonly configPath: string
  /** True at the first start: tells where the key lies. */
  readonly showKey: boolean
}

/** Lines for standard output; the key itself is never among them. */
export function greeting(facts: GreetingFacts): string {
  const [baseUrl = '', ...more] = facts.baseUrls
  const lines = [
    `Tributary ${facts.version} listens at ${baseUrl}`,
    ...more.map(url => `and at ${url}`),
    ...(facts.loginUrl === null
      ? [`Dashboard: ${baseUrl}/ (tributary open prints a link that signs you in)`]
      : [`Dashboard: ${facts.loginUrl}`, 'This link signs you in once, within ten minutes. Later: tributary open']),
  ]
  if (facts.showKey) {
    lines.push(
      `The API key lies in ${facts.configPath} (section api, option key); tributary key show prints it.`,
      `API browser: ${baseUrl}/docs`,
    )
  }
  return `${lines.join('\n')}\n`
}
