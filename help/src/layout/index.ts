// What pages look like: what stands around each, and those that are made here and not of one document.
export { headingsPage } from './headings-page.ts'
export { layOut } from './layout.ts'
export { startPage } from './start-page.ts'
export { versionsPage } from './versions-page.ts'
