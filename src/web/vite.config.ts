// How the dashboard is built: static files for src/http/routes/dashboard.ts, with the hash of their contents in their
// names. Addresses are relative, so that the page also works behind a proxy that serves it under a prefix.

import { defineConfig } from 'vite'
import { appManifest } from './app-manifest.ts'

/** The text that goes with FFmpeg's decoder, in the file that holds it. */
const NOTICE = `/*!
 * Holds the AC-3 and E-AC-3 decoders of FFmpeg (libavcodec, libavutil; https://ffmpeg.org), as WebAssembly, under the
 * GNU Lesser General Public License, version 2.1 or later (https://www.gnu.org/licenses/old-licenses/lgpl-2.1.html),
 * as the package @mediabunny/ac3 has them (Mozilla Public License 2.0; https://github.com/Vanilagy/mediabunny, folder
 * packages/ac3, with the sources of the bridge and how it is built). This file stands for itself: it may be replaced
 * by one that was built with other versions of them.
 */`

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [appManifest()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/src/web/page',
    emptyOutDir: true,
    assetsDir: 'dashboard',
    // The content security policy knows no inline parts but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        // Names that begin with `worker-` are served with a policy of their own (src/http/routes/dashboard.ts).
        entryFileNames: 'dashboard/worker-[name]-[hash].js',
        chunkFileNames: 'dashboard/[name]-[hash].js',
        postBanner: ({ name }) => (name === 'ac3' ? NOTICE : ''),
      },
    },
  },
})
