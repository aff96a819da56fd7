// The pages of the site: which documents are one, where each lies, what it says, and in which order it is read.
export { type Door, placeOf, readDoors } from './doors.ts'
export { markdownOf, type Places, relativeTo } from './links.ts'
export { createMarkdown, escapeHtml } from './markdown.ts'
export { type Page, readPage } from './pages.ts'
export { plainText } from './plain.ts'
export { readSources } from './sources.ts'
