// The page of error codes that /docs links: made of the table itself, so that it says what this node answers. Pure.

import { errorTable } from '../base/errors.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? letter)
}

/** The page as HTML: a row a code, with its HTTP status and its text. Each row has the code as its id. */
export function errorPage(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, text }]) =>
      `<tr id="${escaped(code)}"><th scope="row"><code>${escaped(code)}</code></th><td>${status}</td><td>${escaped(text)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Error codes - Tributary</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8886; overflow-wrap: anywhere; padding: .4rem; text-align: left; vertical-align: top }
tr:target { background: #8883 }
</style>
</head>
<body>
<h1>Error codes</h1>
<p>Every error is <code>{"error": {"handled", "code", "message"}}</code>. The code is stable and for programs; the message is for people,
often says more than the text below, and may change. <a href="./">All routes</a></p>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">HTTP status</th><th scope="col">What it says, where nothing more is known</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`
}
