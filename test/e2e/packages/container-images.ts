// Container images made by Debian's buildah in a folder of the test, without a daemon and without a registry of images.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** What this machine trusts, for package registries behind a certificate of their own. */
const CERTIFICATES = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt'
const CERTIFICATES_WITHIN = '/etc/ssl/certs/ca-certificates.crt'

/** What an image says of how it is run. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, object>>
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] }
}

async function buildah(store: readonly string[], ...args: string[]): Promise<string> {
  const { stdout } = await run('buildah', [...store, ...args], { maxBuffer: 64 * 1024 * 1024, timeout: 280_000 })
  return stdout.trim()
}

function storeIn(folder: string, driver: string): string[] {
  return ['--root', join(folder, driver), '--runroot', join(folder, `${driver}-run`), '--storage-driver', driver]
}

/** The images in one folder. */
export class ImageStore {
  readonly #store: readonly string[]

  private constructor(store: readonly string[]) {
    this.#store = store
  }

  /** Where the system stacks no folders (overlay) layers are whole copies, which takes longer. */
  static async open(folder: string): Promise<ImageStore> {
    const overlay = storeIn(folder, 'overlay')
    try {
      const trial = await buildah(overlay, 'from', 'scratch')
      await buildah(overlay, 'mount', trial)
      await buildah(overlay, 'rm', trial)
      return new ImageStore(overlay)
    } catch {
      return new ImageStore(storeIn(folder, 'vfs'))
    }
  }

  /** Makes an image of folders, the later ones over the earlier. Its users trust what this machine trusts. */
  async makeBase(name: string, folders: readonly string[]): Promise<void> {
    const base = await this.#run('from', 'scratch')
    for (const folder of folders) await this.#run('add', '--quiet', base, folder, '/')
    await this.#run('add', '--quiet', base, CERTIFICATES, CERTIFICATES_WITHIN)
    await this.#run('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES_WITHIN}`, base)
    await this.#run('commit', '--quiet', '--rm', base, name)
  }

  /** Builds an image; what the file names BASE is the image `base`. */
  async build(name: string, file: string, context: string, base: string): Promise<void> {
    const options = ['--build-arg', `BASE=${base}`, '--pull-never', '--isolation', 'chroot', '--format', 'docker']
    await this.#run('build', ...options, '--tag', name, '--file', file, context)
  }

  async config(name: string): Promise<ImageConfig> {
    const text = await this.#run('inspect', '--type', 'image', name)
    return (JSON.parse(text) as { Docker: { config: ImageConfig } }).Docker.config
  }

  /** Makes a container of an image; where its files are, until close(). */
  async mount(name: string): Promise<string> {
    return await this.#run('mount', await this.#run('from', '--pull-never', name))
  }

  async close(): Promise<void> {
    await this.#run('umount', '--all')
  }

  #run(...args: string[]): Promise<string> {
    return buildah(this.#store, ...args)
  }
}
