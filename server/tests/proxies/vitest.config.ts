import { defineConfig } from 'vitest/config'

/** `npm run test:proxies`: with programs of Debian, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/proxies/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Each file starts several programs, and two cores have enough with two of them.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
