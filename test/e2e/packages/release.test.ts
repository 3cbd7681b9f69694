// What src/deploy/release does with finished packages: sums and their signature are made and verified, and what was
// changed, left out or added is found; two builds may differ in V8's code alone. The key is made for the test.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFile, chmod, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'

const RELEASE = join(projectRoot, 'src/deploy/release')

/** Exit code, and what was printed. */
interface Ended {
  readonly status: number | null
  readonly said: string
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
  const plain = { ...process.env, RELEASE_KEY: '' }
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...plain, ...env } })
  return { status, said: stdout + stderr }
}

const script = (name: string, args: readonly string[], env = {}): Ended =>
  run('bash', [join(RELEASE, name), ...args], env)

function mustRun(program: string, ...args: string[]): void {
  const { status, said } = run(program, args)
  assert.equal(status, 0, said)
}

describe('a release', { concurrency: 1 }, () => {
  let folder: TestFolder
  before(async () => {
    folder = await makeTestFolder()
  })
  after(() => folder.remove())

  describe('the sums', { skip: needs('ssh-keygen') }, () => {
    let [release, key, stranger] = ['', '', '']
    before(async () => {
      release = await folder.sub('release')
      for (const name of ['tributary-1.tgz', 'tributary_1_amd64.deb'])
        await writeFile(join(release, name), `bytes of ${name}`)
      key = join(folder.path, 'key')
      stranger = join(folder.path, 'stranger')
      for (const path of [key, stranger]) mustRun('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', path)
    })

    /** A copy of the signed folder that `change` has had; what verifying it says. */
    async function changed(change: (copy: string) => Promise<unknown>, by = `${key}.pub`): Promise<Ended> {
      const copy = join(folder.path, 'changed')
      await rm(copy, { recursive: true, force: true })
      await cp(release, copy, { recursive: true })
      await change(copy)
      return script('verify', by === '' ? [copy] : [copy, by])
    }

    test('without a key are verified, and called unsigned', async () => {
      const { status, said } = script('sign', [release])
      assert.equal(status, 0, said)
      assert.match(said, /^unsigned: RELEASE_KEY names no key$/m)
      assert.deepEqual(script('verify', [release]), { status: 0, said: 'verified: the sums of 2 files; unsigned\n' })
      const asked = script('verify', [release, `${key}.pub`])
      assert.equal(asked.status, 1)
      assert.match(asked.said, /there is no signature/)
      const sums = await readFile(join(release, 'SHA256SUMS'), 'utf8')
      assert.match(sums, /^[0-9a-f]{64} \*tributary-1\.tgz\n[0-9a-f]{64} \*tributary_1_amd64\.deb\n$/)
    })

    test('are signed by the key, and verified with its public part alone', () => {
      const { status, said } = script('sign', [release], { RELEASE_KEY: key })
      assert.equal(status, 0, said)
      const verified = 'verified: the signature, and the sums of 2 files\n'
      for (const by of [key, `${key}.pub`]) {
        const ended = script('verify', [release, by])
        assert.deepEqual([ended.status, ended.said.endsWith(verified)], [0, true], ended.said)
      }
    })

    test('are refused where the key is another one, or the sums are not those that it signed', async () => {
      const other = await changed(async () => undefined, `${stranger}.pub`)
      assert.deepEqual([other.status, /not one of this key/.test(other.said)], [1, true], other.said)
      const resummed = await changed(async copy => {
        await appendFile(join(copy, 'tributary-1.tgz'), '!')
        const { stdout } = spawnSync('sha256sum', ['-b', 'tributary-1.tgz', 'tributary_1_amd64.deb'], { cwd: copy })
        await writeFile(join(copy, 'SHA256SUMS'), stdout)
      })
      assert.deepEqual([resummed.status, /not one of this key/.test(resummed.said)], [1, true], resummed.said)
      // Signed by the same key for something else.
      const elsewhere = await changed(async copy => {
        await rm(join(copy, 'SHA256SUMS.sig'))
        mustRun('ssh-keygen', '-q', '-Y', 'sign', '-f', key, '-n', 'file', join(copy, 'SHA256SUMS'))
      })
      assert.equal(elsewhere.status, 1, elsewhere.said)
    })

    test('find a file that is changed, missing, or not theirs', async () => {
      for (const by of ['', `${key}.pub`]) {
        const flipped = await changed(copy => writeFile(join(copy, 'tributary-1.tgz'), 'bytes of tributary-1.tgY'), by)
        assert.deepEqual([flipped.status, /tributary-1\.tgz: FAILED/.test(flipped.said)], [1, true], flipped.said)
        const missing = await changed(copy => rm(join(copy, 'tributary-1.tgz')), by)
        assert.equal(missing.status, 1, missing.said)
        const further = await changed(copy => writeFile(join(copy, 'tributary-2.tgz'), ''), by)
        assert.deepEqual([further.status, /name:\ntributary-2\.tgz$/m.test(further.said)], [1, true], further.said)
        const renamed = await changed(copy => rename(join(copy, 'tributary-1.tgz'), join(copy, 'tributary-0.tgz')), by)
        assert.equal(renamed.status, 1, renamed.said)
      }
    })

    test('are not made where there is nothing', async () => {
      assert.equal(script('sign', [await folder.sub('nothing')]).status, 1)
    })
  })

  describe('two builds', () => {
    const TREE = 'package/dist/src/bundle'
    let count = 0

    /** A folder with one package in it, made of a tree that `change` has had. */
    async function built(change: (tree: string) => Promise<unknown>): Promise<string> {
      count += 1
      const place = await folder.sub(`build-${count}`)
      const tree = join(folder.path, `tree-${count}`)
      await mkdir(join(tree, TREE), { recursive: true })
      for (const name of ['node.cjs', 'node.cjs.cache', 'tributary.cjs']) await writeFile(join(tree, TREE, name), name)
      await symlink('node.cjs', join(tree, TREE, 'link'))
      await change(join(tree, TREE))
      const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
      mustRun('tar', ...fixed, '-C', tree, '-czf', join(place, 'tributary-1.tgz'), 'package')
      return place
    }

    test('may differ in what V8 compiled, and in nothing else', async () => {
      const first = await built(async () => undefined)
      const same = script('compare', [first, await built(async () => undefined)])
      assert.deepEqual(same, { status: 0, said: 'tributary-1.tgz: identical\n' })
      const cached = script('compare', [first, await built(tree => writeFile(join(tree, 'node.cjs.cache'), 'other'))])
      assert.deepEqual(cached, {
        status: 0,
        said: 'tributary-1.tgz: identical but for 1 files of code that V8 compiled while the program ran\n',
      })
      const changes: [RegExp, (tree: string) => Promise<unknown>][] = [
        [/node\.cjs/, tree => writeFile(join(tree, 'node.cjs'), 'other')],
        [/Only in/, tree => writeFile(join(tree, 'further.cjs'), '')],
        [/Only in/, tree => rm(join(tree, 'node.cjs.cache'))],
        [/755 .*tributary\.cjs/, tree => chmod(join(tree, 'tributary.cjs'), 0o755)],
        [/link/, async tree => (await rm(join(tree, 'link')), await symlink('/etc/passwd', join(tree, 'link')))],
      ]
      for (const [named, change] of changes) {
        const { status, said } = script('compare', [first, await built(change)])
        assert.equal(status, 1, said)
        assert.match(said, named)
      }
      assert.equal(script('compare', [first, await folder.sub('none')]).status, 1)
      assert.equal(script('compare', [await folder.sub('empty'), first]).status, 1)
    })
  })
})
