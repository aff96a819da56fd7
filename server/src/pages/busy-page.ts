import type { Page } from './page.ts'

/** Goes with a 429. */
export const busyPage: Page = {
  title: 'Too many sign-ins',
  body: '<p>There were too many just now. Please try again in a minute.</p>',
}
