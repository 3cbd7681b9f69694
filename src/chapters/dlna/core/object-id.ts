// Names of objects, as control points hand them back: short, stable while a download stays, and without its info hash.
//
//   0                         the root
//   f, n, p, l                its folders: by folder, newest, in progress, by label
//   l.<label>                 a label, in base64url
//   <folder>$<key>            a download in one of these folders
//   <folder>$<key>$<d>.<n>    a folder of it: that of depth d which holds file n, the first of it
//   <folder>$<key>$<n>        file n of it

/** The folders of the root. */
export type View = 'f' | 'n' | 'p' | 'l'

/** An object. `label` is null outside of labels. */
export type ObjectName =
  | { readonly kind: 'root' }
  | { readonly kind: 'view'; readonly view: View; readonly label: string | null }
  | { readonly kind: 'download'; readonly scope: string; readonly key: string }
  | {
      readonly kind: 'folder'
      readonly scope: string
      readonly key: string
      readonly depth: number
      readonly first: number
    }
  | { readonly kind: 'file'; readonly scope: string; readonly key: string; readonly index: number }

/** The id of the root. */
export const ROOT = '0'
/** What the root lies in, as UPnP has it. */
export const ABOVE_ROOT = '-1'

const SCOPE = /^(?:f|n|p|l\.([A-Za-z0-9_-]{1,400}))$/
const KEY = /^[A-Za-z0-9_-]{16}$/
const NUMBER = /^(?:0|[1-9]\d{0,6})$/

/** The folder of a label. */
export function labelScope(label: string): string {
  return `l.${Buffer.from(label).toString('base64url')}`
}

/** What `id` names; null: nothing could have this name. */
export function readObjectId(id: string): ObjectName | null {
  if (id === ROOT) return { kind: 'root' }
  if (id === 'l') return { kind: 'view', view: 'l', label: null }
  const [scope = '', key, last, more] = id.split('$')
  const match = SCOPE.exec(scope)
  if (match === null || more !== undefined) return null
  if (key === undefined) return viewOf(scope, match[1])
  if (!KEY.test(key)) return null
  return last === undefined ? { kind: 'download', scope, key } : partOf(scope, key, last)
}

function viewOf(scope: string, label: string | undefined): ObjectName {
  const text = label === undefined ? null : Buffer.from(label, 'base64url').toString()
  return { kind: 'view', view: scope[0] as View, label: text }
}

function partOf(scope: string, key: string, text: string): ObjectName | null {
  const [a = '', b] = text.split('.')
  if (!NUMBER.test(a) || (b !== undefined && !NUMBER.test(b))) return null
  if (b === undefined) return { kind: 'file', scope, key, index: Number(a) }
  return { kind: 'folder', scope, key, depth: Number(a), first: Number(b) }
}
