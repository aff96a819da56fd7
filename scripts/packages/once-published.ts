const marks = /^<!-- until published -->\n.*?^<!-- once published(?: -->\n|\n(.*?)^-->\n)/gms
const heading = /^(## \d+\.\d+\.\d+) \(unreleased\)$/m

/**
 * What a page says once the version is published. Until then it shows what is true today, and keeps in a comment what takes its place:
 *
 *     <!-- until published -->
 *     It is not in a registry yet.
 *     <!-- once published
 *     It is in npm's registry.
 *     -->
 */
export function oncePublished(text: string): string {
  const published = text.replace(marks, (_, instead = '') => instead)
  const left = /^<!-- (until|once) published.*/m.exec(published)
  if (left) throw new Error(`a mark of what is published without its other half: ${left[0]}`)
  return published
}

/** The changelog with the day of a version that had none. */
export const dated = (changelog: string, day: string): string => changelog.replace(heading, `$1 (${day})`)
