// How long ago something was, though this device's clock may be put right, or wrong, meanwhile: the longer of what both
// its clocks say. The steady one stands still while a device sleeps.

/** This moment, to be asked about later. */
export const moment = () => ({ wall: Date.now(), steady: performance.now() });

/** Milliseconds since a moment. */
export const since = ({ wall, steady }) => Math.max(Date.now() - wall, performance.now() - steady);
