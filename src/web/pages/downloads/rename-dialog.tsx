// Asks for another name of a file or folder, and gives it that.

import { useState } from 'preact/hooks'
import { renameFile } from '../../node/commands.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Field } from '../../parts/field.tsx'
import { text } from '../../texts/downloads/files.ts'

interface RenameDialogProps {
  readonly infohash: string
  /** Path of the file or folder. */
  readonly path: string
  renamed(): void
  onClose(): void
}

/** Asks for another name of a file or folder, and gives it that. */
export function RenameDialog({ infohash, path, renamed, onClose }: RenameDialogProps) {
  const old = path.slice(path.lastIndexOf('/') + 1)
  const [name, setName] = useState(old)
  const rename = async () => {
    await renameFile(infohash, path, name)
    renamed()
    onClose()
  }
  const ready = name !== '' && name !== old
  return (
    <DialogForm title={text('rename')} action={text('rename')} ready={ready} submit={rename} onClose={onClose}>
      <Field label={text('newName')} value={name} help={text('renameHelp')} set={setName} />
    </DialogForm>
  )
}
