// The help: the documents of this repository as a site below /help, made of files alone. Its pages are rendered by Eleventy, without a
// program in the browser but the search, and keep the policy of the console: nothing inline, nothing from elsewhere.
export { makeSite } from './site.ts'
