import { defineConfig } from 'vitest/config'

/** `npm run test:upgrade`: with the code of an older release, which is in the history, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/upgrade/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
})
