import type { Page } from './page.ts'

/** Goes with a 503. */
export const awayPage: Page = {
  title: 'Signing in is not possible right now',
  body: '<p>This does not take long as a rule. Please try again in a minute.</p>',
}
