module "upload_form" {
  source = "./modules/upload-form"
  limits = data.filetransfer_instance.files
}
