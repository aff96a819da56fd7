import { defineConfig } from 'vitest/config'

/** `npm run test:receivers`: with languages that the machine may lack, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/receivers/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
