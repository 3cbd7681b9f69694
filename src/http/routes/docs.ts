// The interactive API browser (spec part 1 rule 7): swagger-ui from its package, its own page and initialiser, and the
// OpenAPI document. Nothing is loaded from another address, and the content security policy keeps it so.

import { AppError } from '../../base/errors.ts'
import { errorPage } from '../error-page.ts'
import { openApiDocument } from '../openapi.ts'
import { type BytesReply, type RouteContext, route } from '../route.ts'

const tag = 'documentation'
const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'"

/** Parts of the page that come from swagger-ui-dist, and their types. No other name is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
}

const page = (base: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tributary: control interface</title>
<base href="${base}">
<link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="initializer.js"></script>
</body>
</html>
`

// No validator badge and no query configuration: both would let the page talk to another address.
const INITIALIZER = `window.ui = SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#swagger-ui',
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: true,
  presets: [SwaggerUIBundle.presets.apis],
})
`

// The base is relative, so that the page also works behind a proxy that serves it under a prefix.
const pageRoute = (id: string, path: string, base: string) =>
  route({
    id,
    method: 'GET',
    path,
    kind: 'bytes',
    scope: 'open',
    tag,
    summary: 'The interactive API browser',
    parameters: null,
    reply: null,
    contentType: 'text/html',
    errors: [],
    sample: { path, status: 200 },
    run: (): BytesReply => pageReply(page(base)),
  })

function pageReply(text: string): BytesReply {
  return { contentType: HTML, body: Buffer.from(text), headers: [['Content-Security-Policy', POLICY]] }
}

const openApi = route({
  id: 'docs.openapi',
  method: 'GET',
  path: '/docs/openapi.json',
  kind: 'bytes',
  scope: 'open',
  compressed: true,
  tag,
  summary: 'This interface as an OpenAPI 3.1 document',
  parameters: null,
  reply: null,
  contentType: 'application/json',
  errors: [],
  sample: { path: '/docs/openapi.json', status: 200 },
  run: context => ({ contentType: 'application/json', body: documentBytes(context) }),
})

// The document is the same as long as the process runs.
const documents = new WeakMap<readonly unknown[], Buffer>()

function documentBytes(context: RouteContext): Buffer {
  const routes = context.routes.all()
  const known = documents.get(routes)
  if (known !== undefined) return known
  const facts = { version: context.version, settings: context.services.settings.schema() }
  const made = Buffer.from(JSON.stringify(openApiDocument(routes, facts)))
  documents.set(routes, made)
  return made
}

const asset = route({
  id: 'docs.asset',
  method: 'GET',
  path: '/docs/{name}',
  kind: 'bytes',
  scope: 'open',
  compressed: true,
  tag,
  summary: 'Parts of the API browser, and the page of error codes (errors.html)',
  parameters: null,
  reply: null,
  errors: ['NotFound'],
  sample: { path: '/docs/initializer.js', status: 200 },
  run: (context, { path }) => readAsset(context, path['name'] ?? ''),
})

async function readAsset(context: RouteContext, name: string): Promise<BytesReply> {
  if (name === 'initializer.js') return { contentType: SCRIPT, body: Buffer.from(INITIALIZER) }
  if (name === 'errors.html') return pageReply(errorPage())
  const contentType = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined
  const body = contentType === undefined ? null : await context.docsFiles.read(name)
  if (contentType === undefined || body === null) throw new AppError('NotFound')
  return { contentType, body, headers: [['Cache-Control', 'max-age=3600']] }
}

/** Every route of this file. */
export const docsRoutes = [
  pageRoute('docs.page', '/docs', 'docs/'),
  pageRoute('docs.pageSlash', '/docs/', './'),
  openApi,
  asset,
] as const
