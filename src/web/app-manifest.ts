// What a browser needs to install the dashboard as an app, made by the build: its manifest and icons, with the hash of
// their contents in their names. Addresses are relative, so that it installs under the prefix of a proxy too.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Icons that the system cuts into its own form: all of the square is filled, what counts is in the inner 80 %. */
function maskable(icon: string): string {
  return icon.replace('rx="7"', '').replace('<g ', '<g transform="translate(5 5) scale(.69)" ')
}

/** Where the page is, from the folder of its parts. */
const HOME = '../'

/** Writes them, and names the manifest in the page. */
export function appManifest(): Plugin {
  const icon = readFileSync(join(import.meta.dirname, 'icon.svg'), 'utf8')
  let manifest = ''
  return {
    name: 'app-manifest',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'link', attrs: { rel: 'manifest', href: `./${manifest}` }, injectTo: 'head' }],
    },
    generateBundle: {
      order: 'pre',
      handler() {
        const file = (name: string, source: string) => this.getFileName(this.emitFile({ type: 'asset', name, source }))
        const icons = [
          { src: file('app-icon.svg', icon), purpose: 'any' },
          { src: file('app-icon-maskable.svg', maskable(icon)), purpose: 'maskable' },
        ].map(({ src, purpose }) => ({ src: `${HOME}${src}`, sizes: 'any', type: 'image/svg+xml', purpose }))
        const content = {
          name: 'Tributary',
          short_name: 'Tributary',
          start_url: HOME,
          scope: HOME,
          display: 'standalone',
          background_color: '#0e1316',
          theme_color: '#0b5d7a',
          icons,
        }
        manifest = file('app.webmanifest', JSON.stringify(content))
      },
    },
  }
}
