// Labels as people type them, and what adding and taking away makes of those a download has. Pure.

/** Labels between commas, each once. */
export function typedLabels(text: string): readonly string[] {
  return [...new Set(text.split(',').map(label => label.trim()))].filter(label => label !== '')
}

/** Labels of a download after some were added and others taken away; null: they stay as they are. */
export function relabelled(
  labels: readonly string[],
  added: readonly string[],
  taken: readonly string[],
): readonly string[] | null {
  const after = [...new Set([...labels, ...added])].filter(label => !taken.includes(label))
  return after.length === labels.length && after.every(label => labels.includes(label)) ? null : after
}
