// The dashboard's page and its parts (src/web), as vite has built them. They hold nothing of the node: what they show
// they ask for with the key. Nothing is loaded from another address, and the content security policy keeps it so
// (decision 0350).

import { AppError } from '../../base/errors.ts'
import { type BytesReply, type RouteContext, route } from '../route.ts'

const tag = 'documentation'
const PAGE = 'index.html'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; connect-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types tributary-worker"

/** Names of scripts that run as workers begin so (src/web/vite.config.ts). */
const WORKER = /^worker-/

/**
 * What takes films apart runs in a worker, which has this policy and not that of the page: WebAssembly runs there
 * alone, and nothing but the node is asked. The decoder starts a worker of its own text, under this policy too
 * (decision 0545).
 */
const WORKER_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'; base-uri 'none'"

/** Types of what the build makes; nothing else is served. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
}

const page = route({
  id: 'dashboard.page',
  method: 'GET',
  path: '/',
  kind: 'bytes',
  scope: 'open',
  compressed: true,
  tag,
  summary: 'The dashboard',
  choices: ['Extra. A page for browsers; it asks for the key and sends it with every request of its own.'],
  parameters: null,
  reply: null,
  contentType: 'text/html',
  errors: ['NotFound'],
  sample: { path: '/', status: 200 },
  run: async (context): Promise<BytesReply> => ({
    contentType: 'text/html; charset=utf-8',
    body: await partOf(context, PAGE),
    headers: [
      ['Content-Security-Policy', POLICY],
      ['Cross-Origin-Opener-Policy', 'same-origin'],
      // Its parts have their contents in their names, the page has not.
      ['Cache-Control', 'no-cache'],
    ],
  }),
})

const part = route({
  id: 'dashboard.part',
  method: 'GET',
  path: '/dashboard/{name}',
  kind: 'bytes',
  scope: 'open',
  compressed: true,
  tag,
  summary: 'Parts of the dashboard',
  choices: ['Extra.'],
  parameters: null,
  reply: null,
  errors: ['NotFound'],
  sample: { path: '/dashboard/icon.svg', status: 200 },
  run: async (context, { path }): Promise<BytesReply> => {
    const name = path['name'] ?? ''
    const contentType = TYPES[/\.([a-z0-9]+)$/.exec(name)?.[1] ?? '']
    if (contentType === undefined) throw new AppError('NotFound')
    const body = await partOf(context, `dashboard/${name}`)
    const headers: [string, string][] = [['Cache-Control', 'public, max-age=31536000, immutable']]
    if (WORKER.test(name)) headers.push(['Content-Security-Policy', WORKER_POLICY])
    return { contentType, body, headers }
  },
})

async function partOf({ dashboardFiles }: RouteContext, name: string): Promise<Uint8Array> {
  const body = await dashboardFiles.read(name)
  if (body !== null) return body
  if (name !== PAGE) throw new AppError('NotFound')
  throw new AppError('NotFound', 'The dashboard was not built with this program: run make build.')
}

/** Every route of this file. */
export const dashboardRoutes = [page, part] as const
