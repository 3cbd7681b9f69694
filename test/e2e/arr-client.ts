// The Transmission client of Sonarr and Radarr, as far as it can be seen on the wire: the requests that their public
// code builds, byte for byte in their order, and what they make of the answers. Facts read in
//   Sonarr/Sonarr 49df353fa14c453929b79f32144b2c8c86d94b09 and Radarr/Radarr 1b9662d58823ff02b7162282e84e4aed95db0126,
//   src/NzbDrone.Core/Download/Clients/Transmission/{TransmissionProxy,TransmissionBase,Transmission,TransmissionTorrent}.cs,
//   src/NzbDrone.Core/Download/TorrentClientBase.cs, src/NzbDrone.Common/Http/Dispatchers/ManagedHttpDispatcher.cs,
//   src/NzbDrone.Common/Serializer/Newtonsoft.Json/Json.cs. The two differ in names of settings only.

/** A number that their serializer writes as a double: with a point, always. */
export class Double {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** Settings of the client in one of the programs. */
export interface ArrSettings {
  readonly program: 'Sonarr' | 'Radarr'
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  /** `tv-sonarr`, `radarr`. */
  readonly category: string
  readonly importedCategory: string
}

/** Of torrent-get; integers where their class has int or long. */
export interface ArrTorrent {
  readonly id: number
  readonly hashString: string
  readonly name: string
  readonly downloadDir: string
  readonly totalSize: number
  readonly leftUntilDone: number
  readonly isFinished: boolean
  readonly labels: readonly string[]
  readonly eta: number
  readonly status: number
  readonly secondsDownloading: number
  readonly secondsSeeding: number
  readonly errorString: string
  readonly downloadedEver: number
  readonly uploadedEver: number
  readonly seedRatioLimit: number
  readonly seedRatioMode: number
  readonly seedIdleLimit: number
  readonly seedIdleMode: number
}

interface SessionConfig {
  readonly version: string
  readonly 'download-dir': string
  readonly seedRatioLimited: boolean
  readonly seedRatioLimit: number
  readonly 'idle-seeding-limit-enabled': boolean
}

const FIELDS = [
  ...['id', 'hashString', 'name', 'downloadDir', 'totalSize', 'leftUntilDone', 'isFinished', 'eta', 'status'],
  ...['secondsDownloading', 'secondsSeeding', 'errorString', 'uploadedEver', 'downloadedEver', 'seedRatioLimit'],
  ...['seedRatioMode', 'seedIdleLimit', 'seedIdleMode', 'fileCount', 'file-count', 'labels'],
]
const INTEGERS = [
  ...['id', 'totalSize', 'leftUntilDone', 'eta', 'status', 'secondsDownloading', 'secondsSeeding'],
  ...['downloadedEver', 'uploadedEver', 'seedRatioMode', 'seedIdleLimit', 'seedIdleMode'],
] as const satisfies readonly (keyof ArrTorrent)[]

/** As their serializer writes it: indented by two, doubles with a point. */
export function newtonsoft(value: unknown): string {
  const doubles: string[] = []
  const text = JSON.stringify(
    value,
    (_, item: unknown) => (item instanceof Double ? `\u0000${doubles.push(doubleText(item.value)) - 1}` : item),
    2,
  )
  return text.replace(/"\\u0000(\d+)"/g, (_, at: string) => doubles[Number(at)] ?? '')
}

function doubleText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** One download client of one program. */
export class ArrClient {
  readonly #settings: ArrSettings
  /** Where the node is. */
  port: number
  #session: string | null = null
  /** `GET`, or the method called; for the order. */
  readonly sent: string[] = []

  constructor(settings: ArrSettings) {
    this.#settings = settings
    this.port = settings.port
  }

  /** What the button "Test" does: the version must be at least 2.40, the list readable. */
  async test(): Promise<string> {
    const { version } = await this.#config()
    await this.torrents()
    return version
  }

  /** The folder that imports are looked for in. */
  async outputFolder(): Promise<string> {
    return `${(await this.#config())['download-dir']}/${this.#settings.category}`
  }

  async addFile(bytes: Uint8Array): Promise<void> {
    await this.#add({ metainfo: Buffer.from(bytes).toString('base64') })
  }

  async addMagnet(link: string): Promise<void> {
    await this.#add({ filename: link })
  }

  async #add(source: object): Promise<void> {
    const folder = (await this.#config())['download-dir'].replace(/\/+$/, '')
    const { category } = this.#settings
    const place = { 'download-dir': `${folder}/${category}`, labels: [category] }
    await this.#process('torrent-add', { ...source, paused: false, ...place })
  }

  /** Right after an add; `hash` is in upper case there. `minutes`: null = no limit. */
  async setSeeding(hash: string, ratio: number | null, minutes: number | null): Promise<void> {
    await this.#process('torrent-set', {
      ids: [hash.toUpperCase()],
      ...(ratio === null ? {} : { seedRatioLimit: new Double(ratio), seedRatioMode: 1 }),
      ...(minutes === null ? {} : { seedIdleLimit: minutes, seedIdleMode: 1 }),
    })
  }

  async moveToTop(hash: string): Promise<void> {
    await this.#process('queue-move-top', { ids: [hash.toUpperCase()] })
  }

  /** Those of its category, as it would show them; throws where their types would not take a value. */
  async torrents(hashes?: readonly string[]): Promise<ArrTorrent[]> {
    const { torrents } = await this.#process<{ torrents: ArrTorrent[] }>('torrent-get', {
      fields: FIELDS,
      ...(hashes === undefined ? {} : { ids: hashes }),
    })
    for (const torrent of torrents) {
      const wrong = INTEGERS.find(name => !Number.isSafeInteger(torrent[name]))
      if (wrong !== undefined) throw new Error(`${wrong} is no whole number: ${torrent[wrong]}`)
    }
    return torrents.filter(({ labels }) => labels.includes(this.#settings.category))
  }

  /** The state it shows. */
  stateOf(torrent: ArrTorrent): 'Warning' | 'Queued' | 'Completed' | 'Downloading' {
    const { errorString, totalSize, leftUntilDone, status, isFinished } = torrent
    if (errorString.trim() !== '') return 'Warning'
    if (totalSize === 0) return 'Queued'
    if (leftUntilDone === 0 && [0, 5, 6].includes(status)) return 'Completed'
    if (isFinished && ![1, 2].includes(status)) return 'Completed'
    return status === 3 ? 'Queued' : 'Downloading'
  }

  /** Whether it may be removed: it has seeded enough. */
  async mayRemove(torrent: ArrTorrent): Promise<boolean> {
    const stopped = torrent.status === 0
    const ratio = torrent.downloadedEver <= 0 ? 0 : torrent.uploadedEver / torrent.downloadedEver
    if (torrent.seedRatioMode === 1 && stopped && ratio >= torrent.seedRatioLimit) return true
    const config = await this.#config()
    const common = torrent.seedRatioMode === 0 && config.seedRatioLimited && ratio >= config.seedRatioLimit
    if (stopped && common) return true
    if (torrent.seedIdleMode === 1) {
      return (stopped || torrent.status === 6) && torrent.secondsSeeding > torrent.seedIdleLimit * 60
    }
    return torrent.seedIdleMode === 0 && stopped && config['idle-seeding-limit-enabled']
  }

  /** After an import: the other label in the place of the first. */
  async markImported(hash: string): Promise<void> {
    const { category, importedCategory } = this.#settings
    const [torrent] = await this.torrents([hash.toLowerCase()])
    if (torrent === undefined) throw new Error('it is not found by its hash')
    const labels = [...torrent.labels.filter(label => label !== category), importedCategory]
    await this.#process('torrent-set', { ids: [hash.toLowerCase()], labels })
  }

  async remove(hash: string, deleteData: boolean): Promise<void> {
    await this.#process('torrent-remove', { ids: [hash.toLowerCase()], 'delete-local-data': deleteData })
  }

  #config(): Promise<SessionConfig> {
    return this.#process<SessionConfig>('session-get', null)
  }

  get #url(): string {
    return `http://${this.#settings.host}:${this.port}/transmission/rpc`
  }

  get #headers(): Record<string, string> {
    const { program, username, password } = this.#settings
    return {
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from(`${username}:${password}`, 'latin1').toString('base64')}`,
      'User-Agent': `${program}/4.0.16.2944 (debian 12)`,
    }
  }

  // A GET, which must be answered 409 with the id: everything else is taken for a wrong password.
  async #authenticate(): Promise<string> {
    this.sent.push('GET')
    const reply = await fetch(this.#url, { headers: this.#headers, redirect: 'manual' })
    await reply.arrayBuffer()
    const id = reply.headers.get('X-Transmission-Session-Id')
    if (reply.status !== 409 || id === null) throw new Error(`failed to authenticate: ${reply.status}`)
    return id
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it expects
  async #process<T>(method: string, args: object | null): Promise<T> {
    this.#session ??= await this.#authenticate()
    let reply = await this.#post(method, args)
    if (reply.status === 409) {
      this.#session = await this.#authenticate()
      reply = await this.#post(method, args)
    } else if (reply.status === 401) {
      throw new Error('user authentication failed')
    }
    const answer = (await reply.json()) as { result: string; arguments: T }
    if (answer.result !== 'success') throw new Error(answer.result)
    return answer.arguments
  }

  #post(method: string, args: object | null): Promise<Response> {
    this.sent.push(method)
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        ...this.#headers,
        'Content-Type': 'application/json',
        'X-Transmission-Session-Id': this.#session ?? '',
      },
      body: newtonsoft({ method, ...(args === null ? {} : { arguments: args }) }),
      redirect: 'manual',
    })
  }
}
