// The pages of the site: which documents are one, where each lies, what it says, and in which order it is read.
export { type Door, type Place, placeOf, readDoors } from './doors.ts'
export { markdownOf, type Places, relativeTo } from './links.ts'
export { createMarkdown, escapeHtml } from './markdown.ts'
export { type Heading, type Page, readPage, type Section } from './pages.ts'
export { plainText } from './plain.ts'
export { readSources, type Source } from './sources.ts'
