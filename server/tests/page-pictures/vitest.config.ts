import { defineConfig } from 'vitest/config'

/** `npm run generate -- page-pictures`: every page of a sign-in at two widths, in three languages and both themes, to be looked at. */
export default defineConfig({
  test: {
    include: ['server/tests/page-pictures/take-pictures.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
})
