/** The section of a version in CHANGELOG.md, without its heading. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((each) => each.split(/[ \n]/, 1)[0] === version)
  if (!section) throw new Error(`CHANGELOG.md: no section for ${version}`)
  const notes = section.slice(section.indexOf('\n')).trim()
  if (!notes) throw new Error(`CHANGELOG.md: the section for ${version} is empty`)
  return `# Signet ${version}\n\n${notes}\n`
}
