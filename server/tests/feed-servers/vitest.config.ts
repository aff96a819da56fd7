import { defineConfig } from 'vitest/config'

/** `npm run test:feed`: with standbys, servers of its own and long waits, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/feed-servers/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
