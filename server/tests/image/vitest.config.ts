import { defineConfig } from 'vitest/config'

/** `npm run test:image`: with programs of Debian, and from the network a base and packages, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/image/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
})
