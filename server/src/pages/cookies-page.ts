import type { Page } from './page.ts'

/** For a 431 that removes the cookies. */
export const cookiesPage: Page = {
  title: 'Please sign in again',
  body: `<p>Your browser sent more cookies than this service reads. They have been removed.</p>
<p>Please go back to the application and sign in again.</p>`,
}
