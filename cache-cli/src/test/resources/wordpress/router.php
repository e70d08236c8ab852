<?php
// For php -S in the directory of WordPress: files are files, all else is index.php.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$file = $_SERVER['DOCUMENT_ROOT'] . $path;
if (is_dir($file)) {
    $file = rtrim($file, '/') . '/index.php';
}
if (is_file($file) && !str_ends_with($file, '.php')) {
    return false;
}
$script = is_file($file) ? $file : $_SERVER['DOCUMENT_ROOT'] . '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $script;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = substr($script, strlen($_SERVER['DOCUMENT_ROOT']));
chdir(dirname($script));
// This server lets the end of the connection end a body of unknown length; others send chunks.
ob_start(function ($body) {
    header('Content-Length: ' . strlen($body));
    return $body;
});
require $script;
