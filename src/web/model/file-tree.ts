// The files of a torrent as a tree: folders with the size of what is in them, what of it is chosen, which rows are
// open. Names are those of strangers: of any length, of any depth, of anything that a text can hold. Pure.

/** A file as the node lists it. */
export interface TreeFile {
  /** Its place in the torrent. */
  readonly index: number
  /** Its path under the torrent's root, with /. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** A file in the tree. */
export interface FileNode<File extends TreeFile> {
  readonly kind: 'file'
  /** Its path. */
  readonly path: string
  /** What is shown of it in its folder. */
  readonly name: string
  /** Folders around it. */
  readonly depth: number
  readonly file: File
}

/** A folder in the tree, with all that is below it. */
export interface FolderNode<File extends TreeFile> {
  readonly kind: 'folder'
  readonly path: string
  readonly name: string
  readonly depth: number
  /** Folders before files, each by name; `E2` before `E10`. */
  readonly children: readonly TreeNode<File>[]
  /** Bytes of all files below it. */
  readonly size: number
  /** All files below it are FileTree.files from here… */
  readonly first: number
  /** …to one before this. */
  readonly end: number
}

/** What a row shows. */
export type TreeNode<File extends TreeFile> = FileNode<File> | FolderNode<File>

/** The tree. */
export interface FileTree<File extends TreeFile> {
  readonly top: readonly TreeNode<File>[]
  /** All files, as they follow each other in it. */
  readonly files: readonly File[]
}

/** How much of what is below a row is chosen. */
export type Choice = 'all' | 'some' | 'none'

/** Folders in each other; what lies deeper stands in the last one, with the rest of its path as its name. */
const MAX_DEPTH = 16

interface Growing<File extends TreeFile> {
  readonly kind: 'folder'
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly folders: Map<string, Growing<File>>
  readonly found: FileNode<File>[]
  children: TreeNode<File>[]
  size: number
  first: number
  end: number
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
/** What is looked at in the order of languages, which takes long; what names have behind it in that of code units. */
const MAX_COMPARED = 200

function byName({ name: a }: { readonly name: string }, { name: b }: { readonly name: string }): number {
  return collator.compare(a.slice(0, MAX_COMPARED), b.slice(0, MAX_COMPARED)) || (a < b ? -1 : a > b ? 1 : 0)
}

/** A name of which nothing would be seen in code points: `U+200B`. Others as they are. */
function shown(name: string): string {
  if (/[^\p{C}\p{Z}\p{M}]/u.test(name)) return name
  return [...name].map(char => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ')
}

function emptyFolder<File extends TreeFile>(path: string, name: string, depth: number): Growing<File> {
  const folders = new Map<string, Growing<File>>()
  return { kind: 'folder', path, name: shown(name), depth, folders, found: [], children: [], size: 0, first: 0, end: 0 }
}

/** Puts a file into its folder, with those around it. */
function place<File extends TreeFile>(root: Growing<File>, file: File): void {
  let at = root
  let from = 0
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const slash = file.name.indexOf('/', from)
    if (slash < 0) break
    const name = file.name.slice(from, slash)
    let folder = at.folders.get(name)
    if (folder === undefined) {
      folder = emptyFolder<File>(file.name.slice(0, slash), name, depth)
      at.folders.set(name, folder)
    }
    at = folder
    from = slash + 1
  }
  at.found.push({ kind: 'file', path: file.name, name: shown(file.name.slice(from)), depth: at.depth + 1, file })
}

/** Sorts a folder and those in it, and numbers their files; MAX_DEPTH bounds how deep it calls itself. */
function settle<File extends TreeFile>(folder: Growing<File>, files: File[]): void {
  const folders = [...folder.folders.values()].sort(byName)
  folder.first = files.length
  for (const inner of folders) settle(inner, files)
  folder.found.sort(byName)
  for (const { file } of folder.found) files.push(file)
  folder.end = files.length
  folder.size = [...folders, ...folder.found.map(({ file }) => file)].reduce((sum, { size }) => sum + size, 0)
  folder.children = [...folders, ...folder.found]
}

/** The tree of some files. */
export function fileTree<File extends TreeFile>(list: Iterable<File>): FileTree<File> {
  const root = emptyFolder<File>('', '', -1)
  for (const file of list) place(root, file)
  const files: File[] = []
  settle(root, files)
  return { top: root.children, files }
}

/** Those files whose path has each word of `search` in it, in upper or lower case; all for an empty one. */
export function filesLike<File extends TreeFile>(files: readonly File[], search: string): readonly File[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ name }) => {
    const path = name.toLowerCase()
    return words.every(word => path.includes(word))
  })
}

/** The rows of the tree: what is in `open` (paths of folders) shows what it has. */
export function openRows<File extends TreeFile>(
  { top }: FileTree<File>,
  open: { has(path: string): boolean },
): TreeNode<File>[] {
  const rows: TreeNode<File>[] = []
  const show = (nodes: readonly TreeNode<File>[]) => {
    for (const node of nodes) {
      rows.push(node)
      if (node.kind === 'folder' && open.has(node.path)) show(node.children)
    }
  }
  show(top)
  return rows
}

/** Paths of all folders. */
export function folderPaths<File extends TreeFile>({ top }: FileTree<File>): Set<string> {
  const paths = new Set<string>()
  const walk = (nodes: readonly TreeNode<File>[]) => {
    for (const node of nodes) {
      if (node.kind === 'file') continue
      paths.add(node.path)
      walk(node.children)
    }
  }
  walk(top)
  return paths
}

/** The files of a row: the file itself, or all below the folder. */
export function filesOf<File extends TreeFile>(tree: FileTree<File>, node: TreeNode<File>): readonly File[] {
  return node.kind === 'file' ? [node.file] : tree.files.slice(node.first, node.end)
}

/** Tells of any row how much of it is chosen, in one step each. `chosen`: whether a file is. */
export function choices<File extends TreeFile>(
  tree: FileTree<File>,
  chosen: (file: File) => boolean,
): (node: TreeNode<File>) => Choice {
  // chosenBefore[i]: how many of the files before i are chosen.
  const chosenBefore = new Uint32Array(tree.files.length + 1)
  for (const [i, file] of tree.files.entries()) chosenBefore[i + 1] = (chosenBefore[i] ?? 0) + (chosen(file) ? 1 : 0)
  return node => {
    if (node.kind === 'file') return chosen(node.file) ? 'all' : 'none'
    const count = (chosenBefore[node.end] ?? 0) - (chosenBefore[node.first] ?? 0)
    if (count === 0) return 'none'
    return count === node.end - node.first ? 'all' : 'some'
  }
}
