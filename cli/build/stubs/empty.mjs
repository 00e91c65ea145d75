// Stands for a package that ccxt names and that nothing of ours reaches.
export default {};
