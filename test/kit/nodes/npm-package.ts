// The npm package of the built program, and a fresh place to install it in: a home of its own, and of this machine's
// programs only those that are named, so that nothing can be compiled.

import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../project-root.ts'

const run = promisify(execFile)

/** What leads to the registry on machines behind a proxy or a certificate of their own. */
const WAY_OUT =
  /^(https?_proxy|no_proxy|npm_config_(registry|cafile|cache_min)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i

/** Makes the package of what is built, in `folder`; its path. The build itself is not run again. */
export async function packProject(folder: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: projectRoot, env: { ...process.env, NO_COLOR: '1' } })
  const [packed] = JSON.parse(stdout) as { filename: string }[]
  return join(folder, packed?.filename ?? '')
}

/** The environment of a fresh user whose home is `home`; there is a `home`/bin, with `programs` of this machine. */
export async function freshPlace(home: string, programs: readonly string[]): Promise<Record<string, string>> {
  const bin = join(home, 'bin')
  await mkdir(bin, { recursive: true })
  for (const name of programs) {
    const { stdout } = await run('sh', ['-c', `command -v ${name}`])
    // npm finds its files by its real place.
    await symlink(resolve(dirname(stdout), stdout.trim()), join(bin, name))
  }
  const ways = Object.entries(process.env).filter(([name]) => WAY_OUT.test(name)) as [string, string][]
  return {
    ...Object.fromEntries(ways),
    HOME: home,
    PATH: bin,
    LANG: 'C.UTF-8',
    npm_config_prefix: join(home, 'prefix'),
  }
}
