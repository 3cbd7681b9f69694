// How the dashboard is built: static files for src/http/routes/dashboard.ts, with the hash of their contents in their
// names. Addresses are relative, so that the page also works behind a proxy that serves it under a prefix.

import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
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
})
